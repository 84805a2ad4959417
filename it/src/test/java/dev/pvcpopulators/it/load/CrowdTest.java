package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that one process with its usual memory serves hundreds of HTTP clients. The clients are
/// idle, repeat requests, or upload a disk.
///
/// `-Dpvc.it.crowd=N` multiplies the number of clients.
@Tag("tools")
final class CrowdTest {
  private static final int TIMES = Integer.getInteger("pvc.it.crowd", 1);
  private static final int IDLE = Rounds.of(200, 500) * TIMES;
  private static final int ACTIVE = Rounds.of(12, 50) * TIMES;

  /// The number of TLS connections with an unfinished request head. These heads together exceed the
  /// limit for all heads. The same number of further connections begin no TLS handshake.
  private static final int HALF = 50 * TIMES;

  private static final int LENGTH = 48 << 20;
  private static final long MAX_RESIDENT = 256L << 20;
  private static final long MAX_THREADS = 96;

  /// The number of file descriptors that a service may open for lazy initialisation.
  private static final int FIRST_TIMES = 8;

  private static final Seed SEED = Seed.of("CrowdTest");
  private static final String TOKEN = "the-token-of-the-crowd-test";
  private static final String[] AUTHORIZATION = {"Authorization", "Bearer " + TOKEN};
  private static final String FOLLOW = "/volume/status?follow=true";
  private static final String HEALTH = "/q/health/live";

  @TempDir private static Path work;

  private static Path disk;

  @BeforeAll
  static void makeDisk() throws IOException {
    byte[] bytes = new byte[LENGTH];
    SEED.random().nextBytes(bytes);
    disk = Files.write(work.resolve("disk.raw"), bytes);
  }

  private static Launch launch(VolumeDirectory volume) {
    return Launch.on(volume.path()).shipped().with("POPULATOR_TOKEN", TOKEN);
  }

  private static String authorized(String method, String path, String... fields) {
    List<String> all = new ArrayList<>(List.of(AUTHORIZATION));
    all.addAll(List.of(fields));
    return IdleClients.head(method, path, all.toArray(String[]::new));
  }

  private static void upload(Service service, VolumeDirectory volume)
      throws IOException, InterruptedException {
    Curl.upload(disk, service.uri("/upload/"), "-H", String.join(": ", AUTHORIZATION)).expect(201);
    Command.run("cmp", disk.toString(), volume.disk().toString());
    volume.assertOneDisk();
  }

  private static void remove(Http http) throws IOException, InterruptedException {
    http.delete("/volume", AUTHORIZATION).expect(204);
  }

  /// Returns the value of a sample in `/q/metrics`.
  ///
  /// @param sample the sample's name and labels
  static double metric(Http http, String sample) throws IOException, InterruptedException {
    return http.get("/q/metrics")
        .expect(200)
        .text()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("There is no " + sample));
  }

  private static double closed(Http http, String reason) throws IOException, InterruptedException {
    return metric(http, "pvc_populator_http_connections_closed_total{reason=\"" + reason + "\"}");
  }

  private static void assertBounded(Service service, String what) throws IOException {
    long resident = service.peakResidentBytes();
    System.out.println("CrowdTest: " + what + ": peak resident set " + (resident >> 20) + " MiB");
    assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
  }

  /// The clients exceed no limit, so the service does not close their connections. The service
  /// answers all requests of the active clients, and publishes the disk. After the clients have
  /// disconnected, the service closes the file descriptors of the connections.
  @Test
  void hundredsOfClientsAndOneUpload() throws Exception {
    VolumeDirectory volume = VolumeDirectory.in(work, "hundreds");
    Launch launch =
        launch(volume)
            .with("POPULATOR_HTTP_REQUEST_TIMEOUT", "10m")
            .with("POPULATOR_HTTP_MAX_CONNECTIONS", Integer.toString(768 * TIMES));
    try (Service service = launch.start()) {
      Http http = service.http();
      upload(service, volume);
      remove(http);
      ProcessResources before = ProcessResources.by(service);
      try (IdleClients idle = new IdleClients(service.base())) {
        idle.joinedBy(IDLE / 3, "")
            .joinedBy(IDLE / 3, IdleClients.head("GET", HEALTH) + "X-Half")
            .joinedBy(IDLE - 2 * (IDLE / 3), IdleClients.head("GET", HEALTH) + "\r\n");
        service.await(
            "all idle clients",
            () ->
                Optional.of(metric(http, "pvc_populator_http_connections{state=\"waiting\"}"))
                    .filter(waiting -> waiting >= IDLE));
        amongOthers(service, volume);
        ProcessResources meanwhile = ProcessResources.by(service);
        assertTrue(meanwhile.threads() <= MAX_THREADS, meanwhile::toString);
        for (String reason : List.of("late", "crowd", "heads", "unread")) {
          assertEquals(0, closed(http, reason), reason);
        }
      }
      service.await(
          "the end of all connections",
          () ->
              Optional.of(ProcessResources.by(service))
                  .filter(now -> now.descriptors() <= before.descriptors() + FIRST_TIMES));
      assertBounded(service, IDLE + " idle and " + ACTIVE + " active clients");
    }
  }

  private static void amongOthers(Service service, VolumeDirectory volume) throws Exception {
    List<RepeatingClient.Question> questions =
        List.of(
            new RepeatingClient.Question(authorized("GET", "/volume/status") + "\r\n", 200, 4),
            new RepeatingClient.Question(
                authorized("GET", FOLLOW, "Accept", "text/event-stream") + "\r\n", 200, 8),
            new RepeatingClient.Question(
                IdleClients.head("PUT", "/upload", "Content-Length", "1000000") + "\r\n", 401, 4),
            new RepeatingClient.Question(
                IdleClients.head("GET", "/volume", "Authorization", "Bearer other") + "\r\n",
                401,
                4),
            new RepeatingClient.Question(IdleClients.head("GET", HEALTH) + "\r\n", 200, 4));
    List<RepeatingClient> clients = new ArrayList<>();
    List<Future<Integer>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < ACTIVE; i++) {
        RepeatingClient client =
            new RepeatingClient(service.base(), questions.get(i % questions.size()));
        clients.add(client);
        answers.add(threads.submit(client));
      }
      try {
        // The clients repeat their requests until the upload is complete.
        upload(service, volume);
        for (RepeatingClient client : clients) {
          client.awaitAnswer();
        }
      } finally {
        clients.forEach(RepeatingClient::stop);
      }
      int all = 0;
      for (Future<Integer> each : answers) {
        all += each.get();
      }
      System.out.println("CrowdTest: " + all + " answers to others during one upload");
    }
  }

  /// Above the limit for connections, the service closes the longest-idle connections.
  @Test
  void connectionsAboveTheLimitDoNotBlockOthers() throws Exception {
    VolumeDirectory volume = VolumeDirectory.in(work, "room");
    int most = 64;
    int came = 400 * TIMES;
    Launch launch =
        launch(volume)
            .with("POPULATOR_HTTP_REQUEST_TIMEOUT", "10m")
            .with("POPULATOR_HTTP_MAX_CONNECTIONS", Integer.toString(most));
    try (Service service = launch.start();
        IdleClients idle = new IdleClients(service.base())) {
      idle.joinedBy(came / 2, "").joinedBy(came / 2, IdleClients.head("GET", HEALTH));
      upload(service, volume);
      Http http = service.http();
      assertTrue(closed(http, "crowd") >= came - most, "too few connections were closed");
      double left = metric(http, "pvc_populator_http_connections{state=\"waiting\"}");
      assertTrue(left <= most, () -> "left " + left);
    }
  }

  /// The clients send a head or a body one byte at a time.
  @Test
  void closesClientsThatSendSingleBytes() throws Exception {
    VolumeDirectory volume = VolumeDirectory.in(work, "slow");
    Launch launch =
        launch(volume)
            .with("POPULATOR_HTTP_REQUEST_TIMEOUT", "1s")
            .with("HTTP_UPLOAD_IDLE_TIMEOUT", "1s");
    try (Service service = launch.start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      URI base = service.base();
      String length = Integer.toString(LENGTH);
      List<SlowClient> slow = new ArrayList<>();
      slow.add(
          new SlowClient(base, authorized("PUT", "/upload", "Content-Length", length) + "\r\n"));
      slow.add(
          new SlowClient(
              base,
              authorized("PUT", "/volume", "Content-Type", "application/yaml")
                  + "Content-Length: 60000\r\n\r\n"));
      slow.add(
          new SlowClient(base, IdleClients.head("GET", HEALTH, "Content-Length", length) + "\r\n"));
      for (int i = 0; i < ACTIVE; i++) {
        slow.add(new SlowClient(base, IdleClients.head("GET", HEALTH) + "X-Slow: "));
      }
      List<Future<Long>> brought = new ArrayList<>();
      for (SlowClient each : slow) {
        brought.add(threads.submit(each));
      }
      for (Future<Long> each : brought) {
        each.get();
      }
      assertTrue(closed(service.http(), "late") >= ACTIVE, "too few connections were closed");
      service.await(
          "the end of the slow upload",
          () -> {
            Curl.Result result =
                Curl.upload(disk, service.uri("/upload/"), "-H", String.join(": ", AUTHORIZATION));
            return Optional.of(result).filter(it -> it.answer().status() == 201);
          });
      Command.run("cmp", disk.toString(), volume.disk().toString());
    }
  }

  /// A connection without a finished TLS handshake counts as idle. Therefore the service closes
  /// this connection after the request time-out. The limit for all request heads also applies to
  /// heads in TLS connections.
  @Test
  @Tag("nightly")
  void theSameHoldsBehindTls() throws Exception {
    VolumeDirectory volume = VolumeDirectory.in(work, "tls");
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    PrivateAuthority.Issued issued = authority.issue("tls", "DNS:localhost");
    int port = FreePort.any();
    Launch launch =
        launch(volume)
            .with("POPULATOR_HTTP_REQUEST_TIMEOUT", "5s")
            .with("POPULATOR_TLS_CERTIFICATE", issued.certificate().toString())
            .with("POPULATOR_TLS_KEY", issued.key().toString())
            .with("POPULATOR_TLS_PORT", Integer.toString(port));
    URI base = URI.create("https://localhost:" + port);
    SSLContext tls = authority.trusting();
    try (Service service = launch.start();
        IdleClients silent = new IdleClients(base);
        IdleClients half = new IdleClients(base, tls.getSocketFactory())) {
      silent.joinedBy(HALF, "");
      half.joinedBy(HALF, IdleClients.head("GET", HEALTH) + "a:\r\n".repeat(4_500));
      Http http = new Http(base, tls);
      for (String reason : List.of("heads", "late")) {
        service.await(
            "a closed connection: " + reason,
            () -> Optional.of(closed(http, reason)).filter(count -> count > 0));
      }
      Curl.upload(
              disk,
              URI.create(base + "/upload/"),
              "-H",
              String.join(": ", AUTHORIZATION),
              "--cacert",
              authority.certificate().toString())
          .expect(201);
      Command.run("cmp", disk.toString(), volume.disk().toString());
      assertBounded(service, "TLS");
    }
  }
}
