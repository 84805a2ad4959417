package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.ServerProcess;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks uploads with `kubectl populate` from outside the cluster.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class PopulateUploadTest {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final long MOST_MEMORY = 128 * SparseDisk.MEBI;
  private static final int INTERRUPTED = 130;
  private static final int USAGE = 64;

  @TempDir private Path directory;

  private static int port(Cluster cluster) {
    return URI.create(cluster.plane().address()).getPort();
  }

  /// Cuts all connections of the client to the API server at random moments. The volume must get
  /// the correct disk. For each cut, the client may send at most one part again. The client may use
  /// at most 128 MiB of memory.
  @Test
  void continuesAfterEveryCut(Cluster cluster) throws Exception {
    Random random = Seed.of("PopulateUploadTest").random();
    SparseDisk disk = SparseDisk.in(directory, random, SparseDisk.LONG);
    Tenant tenant = Tenant.in(cluster, "populate-cuts");
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate populate = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      valve.only(disk.length());
      ServerProcess upload =
          populate.start(
              log,
              "upload",
              disk.file(),
              "--claim=" + Tenant.CLAIM,
              "--class=" + Cluster.IMMEDIATE,
              "--sha256=" + disk.sha256());
      disk.cut(valve, random);
      valve.awaitHolding();
      long memory = upload.mostResidentBytes();
      valve.open();
      int status = upload.await(LIMIT);
      String said = Files.readString(log);
      assertEquals(0, status, said);
      System.out.printf("PopulateUploadTest: at most %d MiB%n", memory / SparseDisk.MEBI);
      assertTrue(memory <= MOST_MEMORY, () -> memory + " bytes");
      assertTrue(said.contains("Interrupted"), said);
      assertTrue(
          valve.passed() < disk.mostSent(),
          () -> valve.passed() + " of " + disk.mostSent() + "\n" + said);
    }
    assertEquals("Bound", tenant.claim().getStatus().getPhase());
    disk.assertIn(tenant);
  }

  /// SIGINT ends the process. A second call of the command continues at the offset at which the
  /// first call ended.
  @Test
  void aSecondCallContinuesAfterAnInterrupt(Cluster cluster) throws Exception {
    SparseDisk disk = SparseDisk.in(directory, Seed.of("PopulateUploadTest").random(), 24);
    Tenant tenant = Tenant.in(cluster, "populate-interrupt");
    Object[] command = {
      "upload",
      disk.file(),
      "--claim=" + Tenant.CLAIM,
      "--class=" + Cluster.LATE,
      "--block",
      "--json"
    };
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate slow = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      valve.only(12 * SparseDisk.MEBI);
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
      assertEquals("sha256:" + disk.sha256(), result.path("sourceDigest").asText());
      assertTrue(valve.passed() < 20 * SparseDisk.MEBI, () -> valve.passed() + " bytes\n" + second);
      // The claim already has the disk, and this call must succeed too.
      again.run(command).ok();
    }
    disk.assertIn(tenant);
  }

  private static String tail(ServerProcess process) {
    try {
      return process.tail();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /// Returns the values of `killed`: true to kill the pod's process, and false to delete the pod.
  /// `make test` uses only true, because this case is harder. If the process is killed, the failed
  /// pod remains, and the next pod is another attempt of the Job.
  static Stream<Boolean> deaths() {
    return Rounds.oneOf(2, List.of(true, false));
  }

  /// If a pod is killed or deleted, the bytes that it has received are lost. The client must send
  /// all bytes to the next pod.
  @ParameterizedTest
  @MethodSource("deaths")
  void beginsAgainWithAnotherPod(boolean killed, Cluster cluster) throws Exception {
    SparseDisk disk = SparseDisk.in(directory, Seed.of("PopulateUploadTest").random(), 16);
    Tenant tenant = Tenant.in(cluster, killed ? "populate-killed-pod" : "populate-deleted-pod");
    try (Valve valve = Valve.towards(port(cluster))) {
      Populate populate = Populate.at(cluster, tenant.namespace(), "https://" + valve.address());
      Path log = directory.resolve("log");
      valve.only(8 * SparseDisk.MEBI);
      ServerProcess upload =
          populate.start(
              log, "upload", disk.file(), "--claim=" + Tenant.CLAIM, "--class=" + Cluster.LENDING);
      valve.awaitHolding();
      if (killed) {
        cluster.node().kill(tenant.namespace());
      } else {
        tenant.client().pods().inNamespace(tenant.namespace()).withGracePeriod(0).delete();
      }
      valve.open();
      int status = upload.await();
      assertEquals(0, status, () -> tail(upload));
    }
    disk.assertIn(tenant);
  }

  /// The length of standard input is unknown, so the user must give the size. After the upload, the
  /// program must refuse to upload another image into the same claim.
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
