package p;

/** Its methods return a type that only this package knows. */
public class Builder extends Base<Builder> {
    public String build() {
        return text.toString();
    }
}

abstract class Base<T extends Base<T>> {
    final StringBuilder text = new StringBuilder();

    @SuppressWarnings("unchecked")
    public T add(String more) {
        text.append(more);
        return (T) this;
    }
}
