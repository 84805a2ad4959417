package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.disk.Wrapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Checks that the disk in the volume equals the output of `qemu-img`, for every format and
/// compression.
@Tag("tools")
final class FormatsTest {
  private static final List<Wrapping> USUAL = List.of(Wrapping.GZIP, Wrapping.ZSTD, Wrapping.XZ);
  private static final Seed SEED = Seed.of("FormatsTest");

  private static Path work;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    service.close();
  }

  /// Returns uploads with each compression, and uploads of each format of other hypervisors. The
  /// uploads with slow compressions contain short disks.
  @TestFactory
  Stream<DynamicContainer> usualUploads() {
    return Stream.of(
            each(
                List.of(
                    Recipe.named("qcow2 version 3, clusters of 64k"),
                    Recipe.named("qcow2 compressed, zlib")),
                List.of(Wrapping.NONE, Wrapping.ZSTD)),
            each(
                List.of(Recipe.named("raw with holes")),
                List.of(Wrapping.NONE, Wrapping.GZIP, Wrapping.ZSTD)),
            each(
                List.of(Recipe.named("raw of an odd number of sectors")),
                List.of(Wrapping.XZ, Wrapping.BZIP2, Wrapping.LZ4)),
            each(
                Stream.of("VMDK, streamOptimized", "VDI, dynamic", "VHD, dynamic", "VHDX, dynamic")
                    .map(Recipe::named)
                    .toList(),
                List.of(Wrapping.NONE)))
        .flatMap(uploads -> uploads);
  }

  /// Returns two uploads of each qcow2 image: without compression, and with one of the usual
  /// compressions. One compression is sufficient, because decompression does not depend on the
  /// content.
  @TestFactory
  @Tag("nightly")
  Stream<DynamicContainer> qcow2AloneAndCompressed() {
    return each(Recipe.qcow2(), index -> List.of(Wrapping.NONE, USUAL.get(index % USUAL.size())));
  }

  @TestFactory
  @Tag("nightly")
  Stream<DynamicContainer> rawAloneAndCompressed() {
    return each(Recipe.raw(), List.of(Wrapping.values()));
  }

  @TestFactory
  @Tag("nightly")
  Stream<DynamicContainer> formatsOfOtherHypervisors() {
    return each(Recipe.foreign(), List.of(Wrapping.NONE, Wrapping.GZIP));
  }

  @TestFactory
  @Tag("nightly")
  Stream<DynamicContainer> lessUsualCompressions() {
    return each(
        Recipe.qcow2().stream().filter(recipe -> recipe.name().contains("64k")).toList(),
        List.of(Wrapping.BZIP2, Wrapping.LZ4));
  }

  @Test
  @Tag("nightly")
  void manyGuestWritesInOneImage() throws IOException, InterruptedException {
    Recipe recipe =
        new Recipe(
            "guest",
            "qcow2",
            (image, random) -> {
              QemuImg.create(image, "qcow2", "", "256M");
              Path content = QemuIo.incompressible(work.resolve("content"), random);
              QemuIo.run(
                  image, "qcow2", QemuIo.guestWrites(random, content, 256L << 20, 1000, 128 << 10));
            });
    Path image = recipe.make(scratch("guest"), SEED.random());
    uploadAndJudge(image, "qcow2", image);
  }

  @Test
  void theDiskInATarArchive() throws IOException, InterruptedException {
    Path directory = scratch("tar");
    Path image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    Path archive = directory.resolve("disk.tar.gz");
    Command.in(directory, "tar", "-czf", archive.toString(), "disk.qcow2");
    uploadAndJudge(image, "qcow2", archive);
  }

  /// The image is compressed twice, like a compressed image in a compressed layer of a container
  /// image.
  @Test
  void compressionInsideCompression() throws IOException, InterruptedException {
    Path image = Recipe.qcow2().getFirst().make(scratch("nested"), SEED.random());
    uploadAndJudge(image, "qcow2", Wrapping.ZSTD.wrap(Wrapping.GZIP.wrap(image)));
  }

  @Test
  @Tag("nightly")
  void severalGzipMembersAreOneStream() throws IOException, InterruptedException {
    Path directory = scratch("members");
    Path image = Recipe.raw().getFirst().make(directory, SEED.random());
    Path joined = directory.resolve("joined.gz");
    Command.run(
        "sh",
        "-c",
        "(head -c 20000000 \"$0\" | gzip -1; tail -c +20000001 \"$0\" | gzip -1) >\"$1\"",
        image.toString(),
        joined.toString());
    uploadAndJudge(image, "raw", joined);
  }

  private static Stream<DynamicContainer> each(List<Recipe> recipes, List<Wrapping> wrappings) {
    return each(recipes, _ -> wrappings);
  }

  private static Stream<DynamicContainer> each(
      List<Recipe> recipes, IntFunction<List<Wrapping>> wrappings) {
    return IntStream.range(0, recipes.size())
        .mapToObj(index -> {
          Recipe recipe = recipes.get(index);
          Path directory = scratch(recipe.format() + index);
          return DynamicContainer.dynamicContainer(
              recipe.name(),
              wrappings.apply(index).stream()
                  .map(wrapping ->
                      DynamicTest.dynamicTest(
                          recipe.name() + " " + wrapping,
                          () -> upload(recipe, directory, index, wrapping))));
        });
  }

  private static void upload(Recipe recipe, Path directory, int index, Wrapping wrapping)
      throws IOException, InterruptedException {
    Path image = directory.resolve("disk." + recipe.format());
    if (!Files.exists(image)) {
      recipe.make(directory, SEED.random(index));
    }
    uploadAndJudge(image, recipe.format(), wrapping.wrap(image));
  }

  private static void uploadAndJudge(Path image, String format, Path uploaded)
      throws IOException, InterruptedException {
    Answer answer = Curl.upload(uploaded, service.uri("/upload/")).expect(201);
    assertTrue(answer.text().startsWith("pvc:\n  claimname: some-pvc-name"), answer::toString);
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, format, volume.disk());
    Path reference = work.resolve("reference.raw");
    QemuImg.toRaw(image, format, reference);
    VolumeDirectory.assertAllocatedLike(reference, volume.disk());
    Files.delete(reference);
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
  }

  private static Path scratch(String name) {
    try {
      return Files.createTempDirectory(work, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
