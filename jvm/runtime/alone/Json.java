package reprise.runtime;

/** An object of JSON, as text. */
final class Json {
    private final StringBuilder text = new StringBuilder("{");

    Json put(String name, String value) {
        return raw(name, quoted(value));
    }

    Json put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    Json put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    Json put(String name, Json value) {
        return raw(name, value.toString());
    }

    Json put(String name, String[] values) {
        StringBuilder list = new StringBuilder("[");
        for (String value : values) {
            list.append(list.length() == 1 ? "" : ",").append(quoted(value));
        }
        return raw(name, list.append(']').toString());
    }

    Json raw(String name, String value) {
        text.append(text.length() == 1 ? "" : ",").append(quoted(name)).append(':').append(value);
        return this;
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean alone = Character.isSurrogate(c) && !(i + 1 < value.length()
                && Character.isSurrogatePair(c, value.charAt(i + 1))
                || i > 0 && Character.isSurrogatePair(value.charAt(i - 1), c));
            if (c < ' ' || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(alone ? '\ufffd' : c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
