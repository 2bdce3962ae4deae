module app {
    uses java.lang.Runnable;

    provides java.lang.Runnable with app.Service;
}
