package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.cluster.ServerProcess;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Uploads by `kubectl populate`, from outside the cluster.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class PopulateUploadTest {
  private static final long MEBI = 1L << 20;
  private static final int INTERRUPTED = 130;
  private static final int USAGE = 64;

  @TempDir private Path directory;

  /// Makes a raw image with random bytes in every eighth mebibyte.
  private Path sparse(Random random, long mebibytes) throws IOException {
    Path file = directory.resolve("disk.raw");
    byte[] block = new byte[(int) MEBI];
    try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
      disk.setLength(mebibytes * MEBI);
      for (long at = 0; at < mebibytes; at += 8) {
        random.nextBytes(block);
        disk.seek(at * MEBI);
        disk.write(block);
      }
    }
    return file;
  }

  private static int port(Cluster cluster) {
    return URI.create(cluster.plane().address()).getPort();
  }

  private static void assertHolds(Tenant tenant, Path raw) {
    PersistentVolume volume =
        tenant
            .client()
            .persistentVolumes()
            .withName(tenant.claim().getSpec().getVolumeName())
            .require();
    Command.run("qemu-img", "compare", "-f", "raw", "-F", "raw", raw, PageProvisioner.disk(volume));
  }

  private static String sha256(Path file) {
    return Command.run("sha256sum", file).split(" ", 2)[0];
  }

  /// Every connection to the API server is cut at random moments; the uploads end with the right
  /// disk, and less than one part per cut is sent twice.
  @Test
  void continuesAfterEveryCut(Cluster cluster) throws Exception {
    Random random = Seed.of("PopulateUploadTest").random();
    long mebibytes = Rounds.of(64, 2 << 10);
    int cuts = Rounds.of(4, 20);
    Path raw = sparse(random, mebibytes);
    Tenant tenant = Tenant.in(cluster, "populate-cuts");
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate populate = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      ServerProcess upload =
          populate.start(
              log,
              "upload",
              raw,
              "--claim=" + Tenant.CLAIM,
              "--class=" + Cluster.IMMEDIATE,
              "--sha256=" + sha256(raw));
      Thread cutter = Thread.startVirtualThread(() -> cut(valve, random, cuts, mebibytes));
      int status = upload.await();
      // Fewer cuts may have been needed than it awaits.
      cutter.interrupt();
      cutter.join();
      String said = Files.readString(log);
      assertEquals(0, status, said);
      assertTrue(said.contains("Interrupted"), said);
      // The image, one part per cut, and the overhead of two TLS layers and a WebSocket.
      long most = (mebibytes + 8L * cuts + mebibytes / 16) * MEBI;
      assertTrue(valve.passed() < most, () -> valve.passed() + " of " + most + "\n" + said);
    }
    assertEquals("Bound", tenant.claim().getStatus().getPhase());
    assertHolds(tenant, raw);
  }

  private static void cut(Valve valve, Random random, int cuts, long mebibytes) {
    long step = mebibytes * MEBI / (cuts + 1);
    try {
      for (int cut = 1; cut <= cuts; cut++) {
        valve.awaitPassed(cut * step + random.nextLong(step / 2));
        valve.cut(Valve.Cut.RESET, random.nextInt(2));
      }
    } catch (InterruptedException _) {
      // The upload has ended.
    }
  }

  /// Ctrl-C ends the process; the same command continues at the offset of the first one.
  @Test
  void aSecondCallContinuesAfterAnInterrupt(Cluster cluster) throws Exception {
    Path raw = sparse(Seed.of("PopulateUploadTest").random(), 40);
    Tenant tenant = Tenant.in(cluster, "populate-interrupt");
    Object[] command = {
      "upload", raw, "--claim=" + Tenant.CLAIM, "--class=" + Cluster.LATE, "--block", "--json"
    };
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate slow = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      valve.only(20 * MEBI);
      ServerProcess first = slow.start(log, command);
      valve.awaitHolding();
      first.signal("INT");
      assertEquals(INTERRUPTED, first.await(), () -> tail(first));
    }
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate again = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Command.Ran second = again.run(command).ok();
      JsonNode result = Populate.result(second);
      assertEquals("Ready", result.path("phase").asText(), second::toString);
      assertEquals("sha256:" + sha256(raw), result.path("sourceDigest").asText());
      assertTrue(valve.passed() < 32 * MEBI, () -> valve.passed() + " bytes\n" + second);
      // The disk is there already.
      again.run(command).ok();
    }
    assertHolds(tenant, raw);
  }

  private static String tail(ServerProcess process) {
    try {
      return process.tail();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /// A pod that is deleted loses all bytes; the next one gets them again.
  @Test
  void beginsAgainWithAnotherPod(Cluster cluster) throws Exception {
    Path raw = sparse(Seed.of("PopulateUploadTest").random(), 24);
    Tenant tenant = Tenant.in(cluster, "populate-pod");
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate populate = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      valve.only(12 * MEBI);
      ServerProcess upload =
          populate.start(
              log, "upload", raw, "--claim=" + Tenant.CLAIM, "--class=" + Cluster.LENDING);
      valve.awaitHolding();
      tenant.client().pods().inNamespace(tenant.namespace()).withGracePeriod(0).delete();
      valve.open();
      int status = upload.await();
      assertEquals(0, status, () -> tail(upload));
    }
    assertHolds(tenant, raw);
  }

  /// Standard input of unknown length; afterwards another image is refused.
  @Test
  void uploadsStandardInput(Cluster cluster) throws Exception {
    Tenant tenant = Tenant.in(cluster, "populate-input");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    Object[] command = {
      "upload", "-", "--claim=" + Tenant.CLAIM, "--class=" + Cluster.IMMEDIATE, "--json"
    };
    Command.Ran unknown = Command.from(cluster.images().first(), populate.command(command));
    assertEquals(USAGE, unknown.status(), unknown::toString);
    assertTrue(unknown.out().contains("expected --size"), unknown::toString);
    Object[] sized = {
      "upload",
      "-",
      "--claim=" + Tenant.CLAIM,
      "--class=" + Cluster.IMMEDIATE,
      "--size=64Mi",
      "--json"
    };
    Command.from(cluster.images().first(), populate.command(sized)).ok();
    tenant.assertFilled(cluster.images().first());
    Command.Ran other =
        populate.run("upload", cluster.images().second(), "--claim=" + Tenant.CLAIM);
    assertEquals(73, other.status(), other::toString);
  }
}
