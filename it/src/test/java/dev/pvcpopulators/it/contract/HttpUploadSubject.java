package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The subject of http-upload: the test uploads a qcow2 image.
record HttpUploadSubject(Path disk, Path damaged) implements ContractSubject {
  private static final Seed SEED = Seed.of("HttpUploadSubject");

  /// The offset of the last byte of the version in a qcow2 header (QEMU docs/interop/qcow2,
  /// "Header").
  private static final int VERSION_END = 7;

  static HttpUploadSubject in(Path directory) throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(directory, SEED.random());
    byte[] bytes = Files.readAllBytes(disk);
    bytes[VERSION_END] = 99;
    return new HttpUploadSubject(disk, Files.write(directory.resolve("damaged"), bytes));
  }

  @Override
  public Container container(Path volume) throws IOException {
    return Container.on("http-upload", volume);
  }

  @Override
  public Container refusing(Path volume) throws IOException {
    return container(volume);
  }

  @Override
  public Refusal refusal() {
    return new Refusal(422, "unsupported-source", CopyOutcome.EX_DATAERR);
  }

  @Override
  public void hold() {}

  @Override
  public Half half(Service service) throws IOException, InterruptedException {
    awaitAsked(service);
    byte[] body = Files.readAllBytes(disk);
    RawUpload upload = RawUpload.put(service.base(), "/upload", body.length);
    upload.send(body, 0, body.length / 2);
    return new Half() {
      @Override
      public void await() throws IOException, InterruptedException {
        service.await(
            "half of the disk",
            () -> Optional.of(service.status()).filter(now -> now.path("bytesIn").asLong() > 0));
      }

      @Override
      public void rest() throws IOException {
        upload.send(body, body.length / 2, body.length);
      }

      @Override
      public void close() throws IOException {
        upload.close();
      }
    };
  }

  @Override
  public void feed(Service service) throws IOException, InterruptedException {
    awaitAsked(service);
    Curl.upload(disk, service.uri("/upload/")).expect(201);
  }

  @Override
  public void feedRefused(Service service) throws IOException, InterruptedException {
    awaitAsked(service);
    Curl.upload(damaged, service.uri("/upload/")).expect(refusal().status()).problem();
  }

  private static void awaitAsked(Service service) throws IOException, InterruptedException {
    service.awaitListening();
    service.awaitPhase("Pending");
  }

  @Override
  public Optional<String> refusedBody() {
    return Optional.empty();
  }

  @Override
  public Optional<String> otherBody() {
    return Optional.empty();
  }

  @Override
  public boolean grows() {
    return false;
  }

  @Override
  public void assertMade(Path volume, Answer json) throws IOException, InterruptedException {
    assertDisk(volume, disk, json);
  }

  /// Checks the content, the owner and the permissions of the disk, and the claim in the answer.
  static void assertDisk(Path volume, Path qcow2, Answer json)
      throws IOException, InterruptedException {
    assertEquals(
        "{\"pvc\":{\"claimname\":\"some-pvc-name\"}}", json.json().toString(), json::toString);
    Path disk = new VolumeDirectory(volume).disk();
    QemuImg.assertIdentical(qcow2, "qcow2", disk);
    assertEquals(
        Container.USER + ":" + Container.USER + " 660",
        Command.run("stat", "-c", "%u:%g %a", disk.toString()).strip());
  }

  @Override
  public void close() {}
}
