package dev.pvcpopulators.it.upload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the access control of uploads, and early refusals. `AccessContractTest` tests other
/// requests.
@Tag("tools")
final class AccessTest {
  private static final long HUGE = 10L << 30;

  /// The maximum number of bytes that a client sends before the client reads the refusal. The
  /// buffers of the sockets hold these bytes.
  private static final long IN_FLIGHT = 256L << 20;

  private static final String TOKEN = "a-$$token${of}-this$test";
  private static final String[] AUTHORIZATION = {"-H", "Authorization: Bearer " + TOKEN};
  private static final String[] EXPECT = {
    "-H", "Expect: 100-continue", "--expect100-timeout", "300"
  };

  private static Path huge;
  private static Path disk;
  private static Path work;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    huge = directory.resolve("huge.raw");
    try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
      file.setLength(HUGE);
    }
    disk = Recipe.qcow2().getFirst().make(directory, Seed.of("AccessTest").random());
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).with("POPULATOR_TOKEN", TOKEN).start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume", "Authorization", "Bearer " + TOKEN).expect(204);
    volume.assertEmpty();
  }

  @Test
  void withoutATokenNoByteOfTheBodyIsSent() throws IOException, InterruptedException {
    Curl.Result result = Curl.upload(huge, service.uri("/upload/"), EXPECT);
    assertUnauthenticated(result);
    assertEquals(0, result.sent(), "bytes of the body that were sent");
  }

  @Test
  void withoutATokenAClientThatDoesNotAskFirstSeesTheRefusal()
      throws IOException, InterruptedException {
    Curl.Result result = Curl.upload(huge, service.uri("/upload/"), "-H", "Expect:");
    assertUnauthenticated(result);
    assertTrue(result.sent() < IN_FLIGHT, () -> "sent " + result.sent());
  }

  @Test
  void theTokenIsAccepted() throws IOException, InterruptedException {
    Curl.upload(disk, service.uri("/upload/"), AUTHORIZATION).expect(201);
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
    assertFalse(service.log().contains(TOKEN), "the log contains the token");
  }

  @Test
  void anotherPathIsRefusedAtOnce() throws IOException, InterruptedException {
    for (String path : List.of("/uploads", "/upload/a/b", "/disk.img", "/volume/disk.img")) {
      Curl.Result result = hugeUpload(path);
      int status = result.answer().status();
      // Below /volume, the service checks the length before the path.
      assertTrue(
          status == 404 || (status == 413 && path.startsWith("/volume/")),
          () -> path + ": " + result);
      result.answer().problem();
      assertEquals(0, result.sent(), "bytes of the body that were sent");
    }
  }

  @Test
  void aSecondUploadMeanwhileIsRefused() throws IOException, InterruptedException {
    byte[] body = Files.readAllBytes(disk);
    try (RawUpload first =
        new RawUpload(
            service.base(),
            "PUT",
            "/upload",
            "Content-Length",
            Integer.toString(body.length),
            "Authorization",
            "Bearer " + TOKEN)) {
      first.send(body, 0, body.length / 2);
      service.await(
          "the first upload",
          () ->
              service
                          .http()
                          .head("/upload", "Authorization", "Bearer " + TOKEN)
                          .number("upload-offset")
                          .orElse(0)
                      > 0
                  ? Optional.of(true)
                  : Optional.empty());
      Curl.Result second = hugeUpload("/upload/");
      second.expect(409).problem();
      assertEquals(0, second.sent(), "bytes of the body that were sent");
      first.send(body, body.length / 2, body.length);
      assertEquals(201, first.answer().status());
    }
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
  }

  @Test
  void whereADiskIsAlreadyAnotherIsRefusedUnlessOverwritingIsAllowed()
      throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "occupied");
    byte[] foreign = "somebody's disk".getBytes(UTF_8);
    Files.write(other.disk(), foreign);
    try (Service keeping = Launch.on(other.path()).start()) {
      Curl.Result result = Curl.upload(huge, keeping.uri("/upload/"), EXPECT);
      result.expect(409).problem();
      assertEquals(0, result.sent(), "bytes of the body that were sent");
      keeping.http().delete("/volume").expect(204);
    }
    assertArrayEquals(foreign, Files.readAllBytes(other.disk()));
    try (Service replacing = Launch.on(other.path()).with("POPULATOR_OVERWRITE", "true").start()) {
      Curl.upload(disk, replacing.uri("/upload/")).expect(201);
      other.assertOneDisk();
      QemuImg.assertIdentical(disk, "qcow2", other.disk());
    }
  }

  @Test
  void rightDigestsAreAccepted() throws IOException, InterruptedException {
    for (String field : List.of(reprDigest(256), reprDigest(512), contentDigest(), checksum())) {
      Curl.upload(disk, service.uri("/upload/"), "-H", AUTHORIZATION[1], "-H", field).expect(201);
      volume.assertOneDisk();
      clear();
    }
  }

  @Test
  void aWrongDigestLeavesNothing() throws IOException, InterruptedException {
    String wrong = HexFormat.of().formatHex(new byte[32]);
    String wrongBase64 = Base64.getEncoder().encodeToString(new byte[32]);
    for (String field :
        List.of(
            "X-Checksum-Sha256: " + wrong,
            "Repr-Digest: sha-256=:" + wrongBase64 + ":",
            "Content-Digest: sha-256=:" + wrongBase64 + ":",
            // One of the two digests is wrong.
            reprDigest(512) + ", sha-256=:" + wrongBase64 + ":")) {
      Curl.upload(disk, service.uri("/upload/"), "-H", AUTHORIZATION[1], "-H", field)
          .expect(422)
          .problem();
      volume.assertEmpty();
    }
  }

  @Test
  void digestsThatCannotBeCheckedAreRefused() throws IOException, InterruptedException {
    for (String field :
        List.of(
            "X-Checksum-Sha256: abc",
            "Repr-Digest: md5=:AAAAAAAAAAAAAAAAAAAAAA==:",
            "Repr-Digest: sha-256=:AAAA:",
            "Content-Digest: nonsense")) {
      Curl.upload(disk, service.uri("/upload/"), "-H", AUTHORIZATION[1], "-H", field)
          .expect(400)
          .problem();
    }
    volume.assertEmpty();
  }

  /// Uploads a huge file with the token. The client waits for 100 Continue.
  private static Curl.Result hugeUpload(String path) throws IOException, InterruptedException {
    List<String> more = new ArrayList<>(List.of(EXPECT));
    more.addAll(List.of(AUTHORIZATION));
    return Curl.upload(huge, service.uri(path), more.toArray(String[]::new));
  }

  private static String reprDigest(int bits) throws IOException {
    return "Repr-Digest: sha-" + bits + "=:" + base64(bits) + ":";
  }

  private static String contentDigest() throws IOException {
    return "Content-Digest: sha-256=:" + base64(256) + ":";
  }

  private static String checksum() throws IOException {
    return "X-Checksum-Sha256: " + hex(256);
  }

  private static String base64(int bits) throws IOException {
    return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex(bits)));
  }

  private static String hex(int bits) throws IOException {
    return Command.run("sha" + bits + "sum", disk.toString()).substring(0, bits / 4);
  }

  private static void assertUnauthenticated(Curl.Result result) {
    Answer answer = result.expect(401);
    answer.problem();
    assertTrue(answer.header("www-authenticate").orElse("").startsWith("Bearer"), answer::toString);
  }
}
