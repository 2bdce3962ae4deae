/** Is needed by one thread only. */
class WorkAlone {}
