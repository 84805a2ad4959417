package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.disk.IscsiPerf;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Deletes the claim, the pod, the Deployment or the namespace of a stream while initiators are
/// logged in. Checks that the target requests a logout, and that no read returns wrong data.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
@ResourceLock(Images.THROTTLED)
final class StreamRemovalTest {
  /// The default of `REGISTRY_STREAM_ISCSI_LOGOUT_GRACE`.
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final int LENGTH = 24 << 20;

  /// The number of the image's bytes that the registry sends.
  private static final long SENT = 8 << 20;

  private static final String NAME = "pattern:1";
  private static final String LOGGED_IN = "login successful";
  private static final String LOGOUT = "target requests logout within";
  private static final String READ = "read -P 0xa5 1M 3M";
  private static final String READ_OF_MISSING_DATA = "read -P 0xa5 20M 1M";

  @BeforeAll
  static void push(Cluster cluster, @TempDir Path work) throws IOException, InterruptedException {
    Path disk = work.resolve("pattern.raw");
    QemuImg.create(disk, "raw", "", Integer.toString(LENGTH));
    QemuIo.run(disk, "raw", List.of("write -P 0xa5 0 " + LENGTH));
    cluster
        .images()
        .push(ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.NONE, disk), NAME);
  }

  @AfterEach
  void open(Cluster cluster) {
    cluster.images().throttled().open();
  }

  private static Tenant tenant(Cluster cluster, String namespace) throws InterruptedException {
    return Tenant.in(cluster, namespace)
        .image(
            Map.of(
                "registry", Map.of("image", cluster.images().throttled().address() + "/" + NAME)));
  }

  /// While a pod uses a deleted claim, the claim remains. After the deletion of the pod, the target
  /// requests a logout from all initiators. One initiator does not answer this request, so the disk
  /// remains for the grace period.
  @Test
  void initiatorsAreAskedToLogOutBeforeTheDiskIsRemoved(Cluster cluster)
      throws IOException, InterruptedException {
    cluster.images().throttled().only(SENT);
    Tenant tenant = tenant(cluster, "stream-removal");
    StreamClaim claim = StreamClaim.create(tenant, Tenant.CLAIM, "ReadOnlyMany", "16Mi");
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      claim.awaitBound();
      IscsiLun lun = claim.lun();
      Dynamic stream = Dynamic.in(tenant).getFirst();
      tenant.consumer();
      Waiting.untilTrue("a node for the consumer", () -> scheduled(tenant));
      claim.delete();
      assertNotNull(claim.found().orElseThrow().getMetadata().getDeletionTimestamp());
      try (IscsiSession session = IscsiSession.reading(lun)) {
        session.run(READ);
      }
      assertNull(stream.found().orElseThrow().getMetadata().getDeletionTimestamp());
      try (IscsiSession silent = IscsiSession.reading(lun.as(IscsiLun.INITIATOR + ".silent"));
          IscsiSession waiting = IscsiSession.reading(lun.as(IscsiLun.INITIATOR + ".waiting"));
          IscsiSession reader = IscsiSession.reading(lun)) {
        silent.run(READ);
        silent.freeze();
        try {
          Reading missing = Reading.begin(waiting, READ_OF_MISSING_DATA);
          Waiting.untilTrue(
              "a read that waits",
              () -> stream.containerStatus(8443).toString().contains("\"waiting\":1"));
          Reading present = Reading.begin(reader, READ);
          present.awaitFirst();
          deleteConsumer(tenant, stream, lun);
          assertEquals("", present.end());
          assertEquals("", missing.end());
          assertEquals(0, missing.completed(), "reads of data that never left the registry");
        } finally {
          // After the deletion, no target answers, so the sessions cannot log out.
          List.of(silent, waiting, reader).forEach(IscsiSession::kill);
        }
      }
      stream.awaitGone();
    }
  }

  private static void deleteConsumer(Tenant tenant, Dynamic stream, IscsiLun lun)
      throws IOException, InterruptedException {
    try (IscsiPerf perf = IscsiPerf.of(lun.as(IscsiLun.INITIATOR + ".perf"))) {
      perf.await(LOGGED_IN);
      long before = System.nanoTime();
      tenant.deleteConsumer();
      perf.await(LOGOUT);
      // The operator deletes the Deployment after the answer to `DELETE /volume`.
      Waiting.untilTrue("the end of the Deployment", () -> stream.deployments().isEmpty());
      Duration took = Duration.ofNanos(System.nanoTime() - before);
      System.out.println("StreamRemovalTest: the disk was removed after " + took);
      assertTrue(took.compareTo(GRACE) >= 0, () -> "the disk was removed after " + took);
    }
  }

  /// Ends the stream's pod three times. The test deletes the pod, then the Deployment, and then the
  /// namespace.
  @Test
  void aPodThatEndsAsksInitiatorsToLogOut(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = tenant(cluster, "stream-ends");
    StreamClaim claim = StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteMany", "16Mi");
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      claim.awaitBound();
      Dynamic stream = claim.stream();
      IscsiLun lun = claim.lun();
      List<Runnable> deletions =
          List.of(
              () -> tenant.client().resource(stream.pods().getFirst()).delete(),
              () -> tenant.client().resource(stream.deployments().getFirst()).delete());
      try (IscsiSession reader = IscsiSession.of(lun)) {
        for (Runnable deletion : deletions) {
          claim.awaitLogin();
          try (IscsiPerf perf = IscsiPerf.of(lun.as(IscsiLun.INITIATOR + ".perf"))) {
            perf.await(LOGGED_IN);
            deletion.run();
            perf.await(LOGOUT);
          }
          // The session logs in to the next pod without a command from the test.
          reader.run(READ);
        }
        claim.awaitLogin();
        try (IscsiPerf perf = IscsiPerf.of(lun.as(IscsiLun.INITIATOR + ".perf"))) {
          perf.await(LOGGED_IN);
          tenant.client().namespaces().withName(tenant.namespace()).delete();
          perf.await(LOGOUT);
        }
        reader.kill();
      }
    }
  }

  private static boolean scheduled(Tenant tenant) {
    return tenant.client().pods().inNamespace(tenant.namespace()).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getName().equals(Tenant.CONSUMER))
        .map(Pod::getSpec)
        .anyMatch(spec -> spec.getNodeName() != null);
  }

  /// A read that is repeated until it fails, or until [#end] kills the session.
  private static final class Reading {
    private final IscsiSession session;
    private final String command;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger completed = new AtomicInteger();
    private volatile boolean ending;
    private volatile String wrong = "";

    private Reading(IscsiSession session, String command) {
      this.session = session;
      this.command = command;
    }

    static Reading begin(IscsiSession session, String command) {
      Reading reading = new Reading(session, command);
      Thread.startVirtualThread(reading::run);
      return reading;
    }

    private void run() {
      try {
        String output = session.tries(command);
        while (!output.contains("failed")) {
          completed.incrementAndGet();
          first.countDown();
          output = session.tries(command);
        }
        wrong = output.contains("read failed") ? "" : output;
      } catch (IOException | AssertionError e) {
        wrong = ending ? "" : e.toString();
      } finally {
        first.countDown();
        ended.countDown();
      }
    }

    /// Waits until the first read has ended, with or without success.
    void awaitFirst() throws InterruptedException {
      first.await();
    }

    /// Returns the number of reads that returned the expected data.
    int completed() {
      return completed.get();
    }

    /// Kills the session, and waits until the last read has ended.
    ///
    /// @return the output of a read that returned wrong data, or the exception that a read threw
    ///   before this call; otherwise empty
    String end() throws InterruptedException {
      ending = true;
      session.kill();
      ended.await();
      return wrong;
    }
  }
}
