package dev.pvcpopulators.it.operator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/// A fake of a kubelet's port that supports only port-forwards. The API server forwards the
/// WebSocket of a client to this port (`/portForward/NAMESPACE/POD?port=PORT`).
///
/// This fake does not support SPDY, several ports in one request, or authentication.
final class KubeletPort implements AutoCloseable {
  private static final int MOST_HEAD = 1 << 16;
  private static final int BACKLOG = 50;
  private static final Pattern REQUEST =
      Pattern.compile("GET /portForward/([^/ ]+)/([^/? ]+)\\?port=(\\d+) HTTP/1\\.1\r\n");
  private static final Pattern KEY = Pattern.compile("(?i)\r\nSec-WebSocket-Key: *(\\S+)\r\n");

  /// Looks up the address of a pod. The result is empty if no such pod runs.
  interface Pods {
    Optional<String> address(String namespace, String name);
  }

  private final SSLServerSocket listening;
  private final Pods pods;

  private KubeletPort(SSLServerSocket listening, Pods pods) {
    this.listening = listening;
    this.pods = pods;
  }

  /// Opens a port of the loopback address.
  ///
  /// @param certificate a PEM file; the file `server.key` in the same directory contains its key
  static KubeletPort open(Path certificate, Pods pods) throws IOException {
    SSLServerSocket socket =
        (SSLServerSocket)
            context(certificate)
                .getServerSocketFactory()
                .createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    KubeletPort port = new KubeletPort(socket, pods);
    Thread.startVirtualThread(port::accept);
    return port;
  }

  private static SSLContext context(Path certificate) throws IOException {
    try (InputStream pem = Files.newInputStream(certificate)) {
      Certificate own = CertificateFactory.getInstance("X.509").generateCertificate(pem);
      String key = Files.readString(certificate.resolveSibling("server.key"));
      byte[] der = Base64.getMimeDecoder().decode(key.replaceAll("-----[A-Z ]+-----", ""));
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry(
          "kubelet",
          KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der)),
          new char[0],
          new Certificate[] {own});
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  int number() {
    return listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Thread.startVirtualThread(() -> serve(client));
      } catch (IOException _) {
        return; // The socket is closed.
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setTcpNoDelay(true);
      InputStream in = client.getInputStream();
      String head = head(in);
      Matcher request = REQUEST.matcher(head);
      Matcher key = KEY.matcher(head);
      OutputStream out = client.getOutputStream();
      if (!request.lookingAt() || !key.find()) {
        write(out, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      Optional<String> address = pods.address(request.group(1), request.group(2));
      if (address.isEmpty()) {
        write(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      write(
          out,
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: "
              + ChannelFrames.accept(key.group(1))
              + "\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n");
      forward(new ChannelFrames(in, out), address.get(), Integer.parseInt(request.group(3)));
    } catch (IOException _) {
      // The client's connection is closed.
    }
  }

  private static void forward(ChannelFrames frames, String address, int port) throws IOException {
    byte[] number = {(byte) port, (byte) (port >> Byte.SIZE)};
    frames.send(ChannelFrames.DATA, number, number.length);
    frames.send(ChannelFrames.ERROR, number, number.length);
    try (Socket pod = new Socket()) {
      try {
        pod.connect(new InetSocketAddress(address, port));
      } catch (IOException e) {
        byte[] message = e.toString().getBytes(StandardCharsets.UTF_8);
        frames.send(ChannelFrames.ERROR, message, message.length);
        return;
      }
      // The thread ends when this method closes the socket.
      Thread.startVirtualThread(() -> answer(pod, frames));
      frames.receive(pod.getOutputStream());
    }
  }

  private static void answer(Socket pod, ChannelFrames frames) {
    byte[] block = new byte[16 << 10];
    try (frames) {
      InputStream in = pod.getInputStream();
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        frames.send(ChannelFrames.DATA, block, read);
      }
    } catch (IOException _) {
      // The pod or the client has closed its connection. The WebSocket is then also closed.
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0 || head.size() > MOST_HEAD) {
        throw new IOException("no request");
      }
      head.write(next);
      text = next == '\n' ? head.toString(StandardCharsets.ISO_8859_1) : "";
    }
    return text;
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
