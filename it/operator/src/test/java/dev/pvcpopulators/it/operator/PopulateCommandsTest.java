package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks the commands `wait`, `status`, `retry` and `cancel` of `kubectl populate`, and refused
/// uploads.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class PopulateCommandsTest {
  private static final int USAGE = 64;
  private static final int NO_INPUT = 66;
  private static final int DATA = 65;
  private static final int TEMPORARY = 75;
  private static final int NO_PERMISSION = 77;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory = Path.of("");

  @Test
  void waitsAndShowsTheStatus(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-status");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    assertEquals(NO_INPUT, populate.run("wait", Tenant.CLAIM).status());
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, "Filesystem");
    Command.Ran waited = populate.run("wait", Tenant.CLAIM).ok();
    assertTrue(waited.out().contains("Ready 100%"), waited::toString);
    tenant.assertFilled(cluster.images().first());
    String table = populate.run("status").ok().out();
    String[] lines = table.split("\n", -1);
    assertEquals(lines[0].indexOf("PHASE"), lines[1].indexOf("Ready"), table);
    assertEquals(lines[0].indexOf("PROGRESS"), lines[1].indexOf("100%"), table);
    String json = populate.run("status", Tenant.CLAIM, "-o", "json").ok().out();
    assertTrue(json.contains("\"claimPhase\":\"Bound\""), json);
    Command.Ran bound = populate.run("cancel", Tenant.CLAIM);
    assertEquals(USAGE, bound.status(), bound::toString);
    assertEquals("Bound", tenant.claim().getStatus().getPhase());
    Command.Ran complete = populate.run("retry", Tenant.CLAIM);
    assertEquals(USAGE, complete.status(), complete::toString);
    Command.Ran stranger = populate.run("status", "--as=stranger");
    assertEquals(NO_PERMISSION, stranger.status(), stranger::toString);
    assertEquals(1, stranger.err().lines().count(), stranger::toString);
  }

  @Test
  @Tag("nightly")
  void retriesAFailedClaimAndCancelsIt(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-retry");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    tenant.image(cluster.images().spec("unsupported:1")).claim(Cluster.IMMEDIATE, "Filesystem");
    Command.Ran failed = populate.run("wait", Tenant.CLAIM);
    assertEquals(DATA, failed.status(), failed::toString);
    String before = uid(tenant);
    populate.run("retry", Tenant.CLAIM).ok();
    Waiting.untilTrue(
        "another failed population",
        () ->
            tenant.population().isPresent()
                && !uid(tenant).equals(before)
                && tenant.status().path("phase").asText().equals("Failed"));
    populate.run("cancel", Tenant.CLAIM).ok();
    tenant.awaitNothing();
  }

  /// The cancellation must also delete the DiskImage that the upload has created.
  @Test
  void cancelsAnUpload(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-cancel");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    Command.Ran refused =
        populate.run(
            "upload",
            cluster.images().first(),
            "--claim=" + Tenant.CLAIM,
            "--class=" + Cluster.IMMEDIATE,
            "--sha256=" + "ab".repeat(32));
    assertEquals(DATA, refused.status(), refused::toString);
    assertFalse(refused.out().contains("{"), refused::toString);
    // The program has refused the image, and the created DiskImage contains the wrong SHA-256.
    // Without `--sha256`, the program accepts the image, but the upload fails because of the
    // SHA-256 in the DiskImage.
    Object[] upload = {"upload", cluster.images().first(), "--claim=" + Tenant.CLAIM};
    Command.Ran failed = populate.run(upload);
    assertEquals(DATA, failed.status(), failed::toString);
    assertTrue(failed.out().contains("kubectl populate retry"), failed::toString);
    Command.Ran again = populate.run(upload);
    assertEquals(DATA, again.status(), again::toString);
    assertTrue(again.out().contains("No byte was sent"), again::toString);
    Command.Ran retried = populate.run("retry", Tenant.CLAIM).ok();
    assertTrue(retried.out().contains("SHA-256 must be " + "ab".repeat(32)), retried::toString);
    populate.run("cancel", Tenant.CLAIM).ok();
    tenant.awaitNothing();
    Waiting.untilTrue(
        "the end of the DiskImage",
        () ->
            tenant
                .client()
                .genericKubernetesResources(Tenant.VERSION, "DiskImage")
                .inNamespace(tenant.namespace())
                .list()
                .getItems()
                .isEmpty());
  }

  @Test
  @Tag("nightly")
  void uploadsBytesThatAreNoImageIfTheyAreNamedRaw(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-format");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    String lines = "A line of text\n".repeat(100);
    Path text = Files.writeString(directory.resolve("text"), lines);
    List<Object> upload =
        List.of(
            "upload",
            text,
            "--claim=" + Tenant.CLAIM,
            "--class=" + Cluster.IMMEDIATE,
            "--size=8Mi");
    Command.Ran refused = populate.run(upload.toArray());
    assertEquals(DATA, refused.status(), refused::toString);
    assertTrue(refused.out().contains("raw"), refused::toString);
    assertEquals(DATA, populate.run("wait", Tenant.CLAIM).status());
    String before = uid(tenant);
    populate.run("retry", Tenant.CLAIM).ok();
    populate.run(Stream.concat(upload.stream(), Stream.of("--format=raw")).toArray()).ok();
    assertNotEquals(before, uid(tenant));
    PersistentVolume volume =
        tenant
            .client()
            .persistentVolumes()
            .withName(tenant.claim().getSpec().getVolumeName())
            .require();
    String disk = Files.readString(PageProvisioner.disk(volume));
    assertTrue(disk.startsWith(lines), disk);
  }

  @Test
  void refusesAStorageClassThatDoesNotExist(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-class");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    Command.Ran refused =
        populate.run("upload", cluster.images().first(), "--claim=" + Tenant.CLAIM, "--class=none");
    assertEquals(USAGE, refused.status(), refused::toString);
    assertTrue(refused.out().contains("expected the StorageClass none"), refused::toString);
    tenant.awaitNothing();
  }

  /// The operator reports nothing about a claim without a data source.
  @Test
  void namesDoctorIfTheOperatorIsSilent(Cluster cluster) throws InterruptedException, IOException {
    Tenant tenant = Tenant.in(cluster, "populate-silent");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    tenant.client().resource(tenant.plainClaim(Tenant.CLAIM, "none", "Filesystem")).create();
    Command.Ran silent = populate.run("wait", Tenant.CLAIM, "--timeout=11s");
    assertEquals(TEMPORARY, silent.status(), silent::toString);
    assertTrue(silent.err().contains("kubectl populate doctor"), silent::toString);
  }

  /// A program prints the token, as the programs of cloud providers do.
  @Test
  void takesCredentialsFromAProgram(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-exec");
    Path program =
        Files.writeString(
            directory.resolve("print-token"),
            """
            #!/bin/sh
            echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
                   "status": {"token": "'"$TOKEN"'"}}'
            """);
    assertTrue(program.toFile().setExecutable(true));
    JsonNode config = JSON.readTree(cluster.plane().kubeconfig("exec", "").toFile());
    ObjectNode exec = ((ObjectNode) config.at("/users/0")).putObject("user").putObject("exec");
    exec.put("apiVersion", "client.authentication.k8s.io/v1")
        .put("command", program.toString())
        .put("interactiveMode", "Never")
        .putArray("env")
        .addObject()
        .put("name", "TOKEN")
        .put("value", cluster.plane().token());
    Path kubeconfig = Files.writeString(directory.resolve("config"), config.toString());
    Populate populate = new Populate(kubeconfig, tenant.namespace());
    assertEquals("No claim refers to a DiskImage\n", populate.run("status").ok().out());
    Files.writeString(program, "#!/bin/sh\nexit 1\n");
    Command.Ran refused = populate.run("status");
    assertEquals(NO_PERMISSION, refused.status(), refused::toString);
    assertEquals(1, refused.err().lines().count(), refused::toString);
  }

  private static String uid(Tenant tenant) {
    return tenant.population().map(found -> found.getMetadata().getUid()).orElse("");
  }
}
