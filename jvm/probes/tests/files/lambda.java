import java.util.function.Function;

class Inside {
    Function<Object, String> reference() {
        return Object::toString;
    }

    Function<Object, Object> own() {
        return o -> o;
    }
}
