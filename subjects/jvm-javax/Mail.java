package com.sun.mailed;

import javax.served.Servlet;

/** The same in another such package. */
public class Mail implements Servlet.Request {
    private final String name;

    public Mail(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    public static Mail of(String name) {
        return new Mail(name.trim());
    }
}
