// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf;

public class Config {
    public String getString(String key, String otherwise) {
        return System.getProperty(key, otherwise);
    }
}
