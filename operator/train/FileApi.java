import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/// A fake API server for the training of the operator's AOT cache (train.sh). Like a real server,
/// it uses HTTP/2 over TLS, and WebSockets for watches; but it sends no events. A GET or POST
/// request is answered with the file of the same path in a directory. If there is no such file, or
/// the method is another one, the answer is an error status. The server runs with the operator's
/// libraries, and prints its port to standard output.
final class FileApi {
  private FileApi() {}

  /// Starts the server.
  ///
  /// @param arguments the directory, a PKCS #12 file with the server's key, and the password of
  ///   that file
  public static void main(String[] arguments) {
    Path root = Path.of(arguments[0]);
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(0)
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(
                new PfxOptions().setPath(arguments[1]).setPassword(arguments[2]));
    Vertx.vertx()
        .createHttpServer(options)
        .webSocketHandler(_ -> {})
        .requestHandler(request -> answer(root, request))
        .listen()
        .onSuccess(server -> System.out.println(server.actualPort()))
        .onFailure(
            e -> {
              e.printStackTrace();
              System.exit(70);
            });
  }

  private static void answer(Path root, HttpServerRequest request) {
    Path file = root.resolve(request.path().substring(1));
    boolean read = request.method().equals(HttpMethod.GET);
    boolean creation = request.method().equals(HttpMethod.POST);
    if ((read || creation) && Files.isRegularFile(file)) {
      request
          .response()
          .setStatusCode(creation ? 201 : 200)
          .putHeader("Content-Type", "application/json")
          .sendFile(file.toString());
    } else {
      request.response().setStatusCode(read ? 404 : 403).end();
    }
  }
}
