// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf;

public class JPF {}
