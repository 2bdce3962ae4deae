import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** Serves requests. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        NioEventLoopGroup accepts = new NioEventLoopGroup(1);
        NioEventLoopGroup works = new NioEventLoopGroup(2);
        Channel channel = new ServerBootstrap().group(accepts, works).channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel made) {
                    made.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(4096), new Answers());
                }
            }).bind("127.0.0.1", 0).sync().channel();
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try (InputStream in = new URL("http://127.0.0.1:" + port + "/page" + i).openStream()) {
                System.out.println(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        channel.close().sync();
        works.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        accepts.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    }

    static class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                Unpooled.copiedBuffer("You asked for " + request.uri(), StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
