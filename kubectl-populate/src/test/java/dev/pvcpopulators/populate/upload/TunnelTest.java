package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Tests a port whose first connections fail before they are forwarded.
final class TunnelTest {
  /// A port whose first accepted connection has already ended. The second call of `accept` fails.
  private static final class FailingPort extends ServerSocket {
    private final CountDownLatch third = new CountDownLatch(1);
    private final EndedSocket ended = new EndedSocket();
    private int accepted;

    FailingPort() throws IOException {
      super(0, 1, InetAddress.getLoopbackAddress());
    }

    @Override
    public Socket accept() throws IOException {
      accepted++;
      if (accepted == 1) {
        return ended;
      }
      if (accepted == 2) {
        throw new SocketException("Too many open files");
      }
      third.countDown();
      return super.accept();
    }
  }

  private static final class EndedSocket extends Socket {
    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
      throw new SocketException("The connection has ended");
    }
  }

  @Test
  void acceptsConnectionsAfterFailures() throws IOException, InterruptedException, VolumeException {
    try (KubernetesClient client =
            new KubernetesClientBuilder().withConfig(Config.empty()).build();
        FailingPort port = new FailingPort();
        Tunnel tunnel =
            new Tunnel("vm1", client.getHttpClient(), URI.create("https://127.0.0.1:1/"), port)) {
      tunnel.start();
      assertTrue(port.third.await(5, TimeUnit.MINUTES), "no later connection is accepted");
      assertTrue(port.ended.isClosed());
      assertEquals(
          "The port-forward to pod vm1: The connection has ended",
          tunnel.reason(new IOException("reset")).getMessage());
    }
  }
}
