#include <jni.h>

JNIEXPORT jint JNICALL Java_Inside_twice(JNIEnv *env, jclass type, jint i) {
    (void) env;
    (void) type;
    return 2 * i;
}

JNIEXPORT jlong JNICALL Java_Inside_fill(JNIEnv *env, jobject self, jintArray numbers,
                                         jobjectArray texts) {
    (void) self;
    jlong sum = 0;
    jint *all = (*env)->GetIntArrayElements(env, numbers, NULL);
    for (int i = 0; i < (*env)->GetArrayLength(env, numbers); i++) {
        sum += all[i];
        all[i] *= 10;
    }
    (*env)->ReleaseIntArrayElements(env, numbers, all, 0);
    (*env)->SetObjectArrayElement(env, texts, 1, (*env)->NewStringUTF(env, "native"));
    return sum;
}

static jint length(JNIEnv *env, jobject inside, jstring text) {
    jclass type = (*env)->GetObjectClass(env, inside);
    jmethodID id = (*env)->GetMethodID(env, type, "length", "(Ljava/lang/String;)I");
    return (*env)->CallIntMethod(env, inside, id, text);
}

JNIEXPORT jobject JNICALL Java_Inside_callback(JNIEnv *env, jobject self, jstring text) {
    return length(env, self, text) > 0 ? self : NULL;
}

JNIEXPORT void JNICALL Java_Inside_fail(JNIEnv *env, jobject self, jstring text) {
    length(env, self, text);
    jclass type = (*env)->FindClass(env, "java/lang/IllegalStateException");
    (*env)->ThrowNew(env, type, "native says no");
}

JNIEXPORT jint JNICALL Java_Main_reads(JNIEnv *env, jclass type, jobject inside, jstring text) {
    (void) type;
    return length(env, inside, text);
}

JNIEXPORT jobject JNICALL Java_Main_make(JNIEnv *env, jclass main, jint value) {
    (void) main;
    jclass type = (*env)->FindClass(env, "Inside");
    jmethodID id = (*env)->GetMethodID(env, type, "<init>", "(I)V");
    return (*env)->NewObject(env, type, id, value);
}

JNIEXPORT jint JNICALL Java_Version_half(JNIEnv *env, jclass type, jint i) {
    (void) env;
    (void) type;
    return i / 2;
}

JNIEXPORT void JNICALL Java_Version_tell(JNIEnv *env, jclass type) {
    (void) type;
    jclass library = (*env)->FindClass(env, "Library");
    jfieldID version = (*env)->GetStaticFieldID(env, library, "version", "I");
    jfieldID text = (*env)->GetStaticFieldID(env, library, "text", "Ljava/lang/String;");
    (*env)->SetStaticIntField(env, library, version, 12);
    (*env)->SetStaticObjectField(env, library, text, (*env)->NewStringUTF(env, "twelve"));
}

JNIEXPORT void JNICALL Java_Handle_open(JNIEnv *env, jobject self) {
    jclass type = (*env)->GetObjectClass(env, self);
    jfieldID address = (*env)->GetFieldID(env, type, "address", "J");
    jfieldID name = (*env)->GetFieldID(env, type, "name", "Ljava/lang/Object;");
    jfieldID open = (*env)->GetFieldID(env, type, "isOpen", "Z");
    jfieldID ratio = (*env)->GetFieldID(env, type, "ratio", "D");
    (*env)->SetLongField(env, self, address, 0x7f0000001000);
    (*env)->SetObjectField(env, self, name, (*env)->NewStringUTF(env, "open"));
    (*env)->SetBooleanField(env, self, open, JNI_TRUE);
    (*env)->SetDoubleField(env, self, ratio, 0.5);
}

JNIEXPORT jintArray JNICALL Java_Handle_counts(JNIEnv *env, jclass type, jobject handle) {
    jfieldID counts = (*env)->GetFieldID(env, type, "counts", "[I");
    return (*env)->GetObjectField(env, handle, counts);
}
