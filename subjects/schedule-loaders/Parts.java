/** Classes that are needed one after the other. */
class Part0 {
    int number() {
        return 0;
    }
}

class Part1 {
    int number() {
        return 1;
    }
}

class Part2 {
    int number() {
        return 2;
    }
}

class Part3 {
    int number() {
        return 3;
    }
}

class Part4 {
    int number() {
        return 4;
    }
}

class Part5 {
    int number() {
        return 5;
    }
}

class Part6 {
    int number() {
        return 6;
    }
}

class Part7 {
    int number() {
        return 7;
    }
}
