package dev.pvcpopulators.registry.pull;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.local.LayoutBytes;
import dev.pvcpopulators.registry.local.LayoutBytes.Blob;
import dev.pvcpopulators.registry.local.LayoutStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageSourceTest {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String INDEX = "application/vnd.oci.image.index.v1+json";
  private static final ImageChoice AMD64 = ImageChoice.of(Platform.parse("linux/amd64"));

  @TempDir Path directory;
  private LayoutBytes layout = new LayoutBytes(Path.of("layout"));

  @BeforeEach
  void makeLayout() throws IOException {
    layout = LayoutBytes.in(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "linux/amd64, 0",
    "linux/amd64/v4, 1",
    "linux/arm64, 2",
    "linux/arm/v7, 4",
    "linux/arm/v6, 3",
    "linux/arm, 4",
    "windows/amd64, 5",
  })
  void choosesThePlatform(String platform, int entry) throws IOException {
    String[] platforms = {
      "'os':'linux','architecture':'amd64'",
      "'os':'linux','architecture':'amd64','variant':'v3'",
      "'os':'linux','architecture':'arm64','variant':'v8'",
      "'os':'linux','architecture':'arm','variant':'v6'",
      "'os':'linux','architecture':'arm','variant':'v7'",
      "'os':'windows','architecture':'amd64','os.version':'10'",
    };
    nest(platforms);
    Image image = resolve(ImageChoice.of(Platform.parse(platform)));
    assertEquals(manifest(entry).digest(), image.digest().toString());
  }

  @Test
  void listsThePlatformsWhereNoneFits() throws IOException {
    nest("'os':'linux','architecture':'s390x'", "'os':'linux','architecture':'arm64'");
    assertRefused(AMD64, "for linux/amd64, found \"linux/s390x\", \"linux/arm64\"");
    nest();
    assertRefused(AMD64, "found no image");
    nest(
        IntStream.range(0, 21)
            .mapToObj(i -> "'os':'linux','architecture':'a" + i + "'")
            .toArray(String[]::new));
    assertRefused(AMD64, "\"linux/a19\", …");
  }

  @Test
  void passesOverAttestationsAndOtherContent() throws IOException {
    Blob image = manifest(0);
    Blob other = layout.json("{'statement':1}");
    layout.index(
        layout
            .nested(
                other.descriptor(MANIFEST, ",'platform':{'os':'unknown','architecture':'unknown'}"),
                other.descriptor(
                    MANIFEST,
                    ",'platform':{'os':'linux','architecture':'amd64'},"
                        + "'annotations':{'vnd.docker.reference.type':'attestation-manifest'}"),
                other.descriptor(
                    "application/vnd.example", ",'platform':{'os':'linux','architecture':'amd64'}"),
                other.descriptor(MANIFEST, ""),
                image.descriptor(MANIFEST, ",'platform':{'os':'linux','architecture':'amd64'}"))
            .descriptor(INDEX, ""));
    assertEquals(image.digest(), resolve(AMD64).digest().toString());
  }

  @Test
  void takesAnEntryWithoutAPlatformOnlyAlone() throws IOException {
    Blob image = manifest(0);
    layout.index(layout.nested(image.descriptor(MANIFEST, "")).descriptor(INDEX, ""));
    assertEquals(image.digest(), resolve(AMD64).digest().toString());
    layout.index(
        layout
            .nested(image.descriptor(MANIFEST, ""), manifest(1).descriptor(MANIFEST, ""))
            .descriptor(INDEX, ""));
    assertRefused(AMD64, "expected entries with platforms, or only one, found " + image.digest());
    layout.index(
        layout
            .nested(
                image.descriptor(MANIFEST, ""),
                manifest(1)
                    .descriptor(MANIFEST, ",'platform':{'os':'linux','architecture':'arm64'}"))
            .descriptor(INDEX, ""));
    assertRefused(AMD64, "found one without a platform, \"linux/arm64\"");
  }

  @Test
  void choosesTheDiskTypeOfMachineImages() throws IOException {
    // As in Podman's machine images, the index uses the kernel's names of architectures. The index
    // also contains a bootable container image.
    String x86 = ",'platform':{'os':'linux','architecture':'x86_64'}";
    String arm = ",'platform':{'os':'linux','architecture':'aarch64'}";
    layout.index(
        layout
            .nested(
                manifest(0)
                    .descriptor(MANIFEST, ",'platform':{'os':'linux','architecture':'amd64'}"),
                manifest(1).descriptor(MANIFEST, arm + ",'annotations':{'disktype':'qemu'}"),
                manifest(2).descriptor(MANIFEST, x86 + ",'annotations':{'disktype':'hyperv'}"),
                manifest(3).descriptor(MANIFEST, x86 + ",'annotations':{'disktype':'qemu'}"))
            .descriptor(INDEX, ""));
    assertEquals(manifest(3).digest(), resolve(AMD64).digest().toString());
    assertEquals(manifest(2).digest(), resolve(diskType("hyperv")).digest().toString());
    assertRefused(diskType("wsl"), "type \"wsl\" for linux/amd64, found \"hyperv\", \"qemu\"");
  }

  @Test
  void choosesTheDiskTypeOfArtifactsWithoutPlatforms() throws IOException {
    layout.index(
        layout
            .nested(
                manifest(0).descriptor(MANIFEST, ",'annotations':{'disktype':'hyperv'}"),
                manifest(1).descriptor(MANIFEST, ",'annotations':{'disktype':'qemu'}"))
            .descriptor(INDEX, ""));
    assertEquals(manifest(1).digest(), resolve(AMD64).digest().toString());
  }

  @Test
  void checksThePlatformOfASingleImageOnlyIfStrict() throws IOException {
    Blob arm = layout.manifest("{'os':'linux','architecture':'arm64'}", new byte[] {1});
    layout.index(arm.descriptor(MANIFEST, ""));
    assertRefused(AMD64, "expected an image for linux/amd64, found one for \"linux/arm64\"");
    Image image = resolve(new ImageChoice(Platform.parse("linux/amd64"), ImageChoice.QEMU, false));
    assertEquals(Optional.of(Platform.parse("linux/arm64")), image.platform());
    Blob silent = layout.manifest("{}", new byte[] {1});
    layout.index(silent.descriptor(MANIFEST, ""));
    assertEquals(Optional.empty(), resolve(AMD64).platform());
  }

  @Test
  void believesAnIndexBeforeTheConfiguration() throws IOException {
    Blob arm = layout.manifest("{'os':'linux','architecture':'arm64'}", new byte[] {1});
    layout.index(
        layout
            .nested(arm.descriptor(MANIFEST, ",'platform':{'os':'linux','architecture':'amd64'}"))
            .descriptor(INDEX, ""));
    assertEquals(Optional.of(Platform.parse("linux/amd64")), resolve(AMD64).platform());
  }

  @Test
  void readsNoConfigurationOfArtifacts() throws IOException {
    Blob empty = layout.json("{}");
    Blob artifact =
        layout.json(
            "{'schemaVersion':2,'artifactType':'application/x-disk','config':"
                + empty.descriptor("application/vnd.oci.empty.v1+json", "")
                + ",'layers':["
                + layout.blob("disk".getBytes(UTF_8)).descriptor("application/x-raw", "")
                + "]}");
    layout.index(artifact.descriptor(MANIFEST, ",'artifactType':'application/x-disk'"));
    Files.delete(layout.path(empty));
    Image image = resolve(AMD64);
    assertEquals(Optional.empty(), image.config());
    assertEquals(Optional.empty(), image.platform());
    assertEquals("application/x-disk", image.manifest().artifactType());
  }

  @Test
  void verifiesAndBoundsTheConfiguration() throws IOException {
    String padding = " ".repeat(RegistryLimits.MANIFEST_LENGTH - 2);
    layout.index(layout.manifest("{}" + padding, new byte[0]).descriptor(MANIFEST, ""));
    assertTrue(resolve(AMD64).config().isPresent());
    layout.index(layout.manifest("{} " + padding, new byte[0]).descriptor(MANIFEST, ""));
    assertThrows(MalformedImageException.class, () -> resolve(AMD64));
    layout.index(layout.manifest("{'os':'a'}", new byte[0]).descriptor(MANIFEST, ""));
    Files.writeString(layout.path(layout.json("{'os':'a'}")), "{\"os\":\"b\"}");
    assertThrows(DigestMismatchException.class, () -> resolve(AMD64));
    layout.index(layout.manifest("[]", new byte[0]).descriptor(MANIFEST, ""));
    assertThrows(MalformedImageException.class, () -> resolve(AMD64));
  }

  @Test
  void boundsIndexesInEachOther() throws IOException {
    Blob document = manifest(0);
    String descriptor = document.descriptor(MANIFEST, "");
    for (int indexes = 1; indexes <= 4; indexes++) {
      descriptor = layout.nested(descriptor).descriptor(INDEX, "");
    }
    layout.index(descriptor);
    assertEquals(document.digest(), resolve(AMD64).digest().toString());
    layout.index(layout.nested(descriptor).descriptor(INDEX, ""));
    assertThrows(MalformedImageException.class, () -> resolve(AMD64));
  }

  @Test
  void refusesADocumentOfAnotherKindThanItsEntrySays() throws IOException {
    layout.index(manifest(0).descriptor(INDEX, ""));
    assertThrows(MalformedImageException.class, () -> resolve(AMD64));
    layout.index(
        layout
            .nested(layout.nested(manifest(0).descriptor(MANIFEST, "")).descriptor(MANIFEST, ""))
            .descriptor(INDEX, ""));
    assertThrows(MalformedImageException.class, () -> resolve(AMD64));
  }

  private static ImageChoice diskType(String diskType) {
    return new ImageChoice(Platform.parse("linux/amd64"), diskType, true);
  }

  /// Writes a layout with one nested index. Entry `i` has the platform `platforms[i]` and refers to
  /// `manifest(i)`.
  private void nest(String... platforms) throws IOException {
    String[] entries = new String[platforms.length];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = manifest(i).descriptor(MANIFEST, ",'platform':{" + platforms[i] + "}");
    }
    layout.index(layout.nested(entries).descriptor(INDEX, ""));
  }

  private Blob manifest(int number) throws IOException {
    return layout.manifest("{}", new byte[] {(byte) number});
  }

  private void assertRefused(ImageChoice choice, String message) {
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> resolve(choice));
    String found = String.valueOf(thrown.getMessage());
    assertTrue(found.contains(message), found);
    // The message must not contain the directory, because the callers of `ImageSource` add it.
    assertFalse(found.contains(directory.toString()), found);
  }

  private Image resolve(ImageChoice choice) throws IOException {
    SourceReference.Local reference =
        new SourceReference.Local(SourceReference.Transport.LAYOUT, directory, Optional.empty());
    try (ImageSource source = new ImageSource(LayoutStore.open(reference), reference)) {
      return source.resolve(choice);
    }
  }
}
