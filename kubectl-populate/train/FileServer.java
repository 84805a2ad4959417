import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.SimpleFileServer;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// An HTTPS server that serves files on the loopback address, for `train.sh`. Prints its port.
final class FileServer {
  private FileServer() {}

  /// Starts the server.
  ///
  /// @param arguments three values: the path of the folder of the files, the path of the key store,
  ///   and the password of the key store
  public static void main(String... arguments) throws Exception {
    char[] password = arguments[2].toCharArray();
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(KeyStore.getInstance(new File(arguments[1]), password), password);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext("/", SimpleFileServer.createFileHandler(Path.of(arguments[0])));
    server.start();
    System.out.println(server.getAddress().getPort());
  }
}
