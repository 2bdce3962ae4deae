import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;

/** Dynamic messages there and back. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        FileDescriptorProto file = FileDescriptorProto.newBuilder().setName("it.proto")
            .addMessageType(DescriptorProto.newBuilder().setName("It")
                .addField(field("name", 1, FieldDescriptorProto.Type.TYPE_STRING, false))
                .addField(field("sizes", 2, FieldDescriptorProto.Type.TYPE_SINT64, true))
                .addField(field("data", 3, FieldDescriptorProto.Type.TYPE_BYTES, false)))
            .build();
        Descriptor type = FileDescriptor.buildFrom(file, new FileDescriptor[0]).findMessageTypeByName("It");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            DynamicMessage.Builder builder = DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("name"), "number " + i)
                .setField(type.findFieldByName("data"), ByteString.copyFromUtf8("data " + i));
            for (long size = -3; size < 5; size++) {
                builder.addRepeatedField(type.findFieldByName("sizes"), size << 20);
            }
            byte[] bytes = builder.build().toByteArray();
            System.out.print(DynamicMessage.parseFrom(type, bytes));
            bytes[0] = 127;
            try {
                DynamicMessage.parseFrom(type, bytes);
            } catch (InvalidProtocolBufferException expected) {
                System.out.println(expected.getMessage());
            }
        }
    }

    private static FieldDescriptorProto field(String name, int number, FieldDescriptorProto.Type type, boolean many) {
        return FieldDescriptorProto.newBuilder().setName(name).setNumber(number).setType(type)
            .setLabel(many ? FieldDescriptorProto.Label.LABEL_REPEATED : FieldDescriptorProto.Label.LABEL_OPTIONAL)
            .build();
    }
}
