import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/// A fake API server for the training of the operator's AOT cache (train.sh). Lists are files of a
/// directory, watches have no events, and writes are refused. Prints its port.
final class FileApi {
  private FileApi() {}

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", exchange -> answer(root, exchange));
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  private static void answer(Path root, HttpExchange exchange) throws IOException {
    Path file = root.resolve(exchange.getRequestURI().getPath().substring(1));
    boolean read = exchange.getRequestMethod().equals("GET");
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    if ("websocket".equals(exchange.getRequestHeaders().getFirst("Upgrade"))) {
      // The client then watches by plain HTTP.
      exchange.sendResponseHeaders(503, -1);
      exchange.close();
    } else if (read && query.contains("watch=true")) {
      // Left open until the client closes it.
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
    } else if (read && Files.isRegularFile(file)) {
      byte[] body = Files.readAllBytes(file);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    } else {
      exchange.sendResponseHeaders(read ? 404 : 403, -1);
      exchange.close();
    }
  }
}
