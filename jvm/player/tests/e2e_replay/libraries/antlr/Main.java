import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.tool.Grammar;

/** Reads a grammar, and texts by it. */
public class Main {
    private static final String GRAMMAR = "grammar It; sum : product (('+' | '-') product)* ;"
        + " product : atom (('*' | '/') atom)* ; atom : NUMBER | '(' sum ')' | NAME ;"
        + " NUMBER : [0-9]+ ; NAME : [a-z]+ ; SPACE : [ \\t]+ -> skip ;";

    public static void main(String[] arguments) throws Exception {
        Grammar grammar = new Grammar(GRAMMAR);
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            for (String text : new String[] {i + " + 2 * (x - 4)", "a*b/c", "1 + * 2", "((" + i + ")"}) {
                LexerInterpreter lexer = grammar.createLexerInterpreter(CharStreams.fromString(text));
                ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(lexer));
                parser.removeErrorListeners();
                parser.addErrorListener(new BaseErrorListener() {
                    @Override
                    public void syntaxError(Recognizer<?, ?> in, Object symbol, int line, int column, String message,
                            RecognitionException wrong) {
                        System.out.println(column + ": " + message);
                    }
                });
                System.out.println(parser.parse(0).toStringTree(parser));
            }
        }
    }
}
