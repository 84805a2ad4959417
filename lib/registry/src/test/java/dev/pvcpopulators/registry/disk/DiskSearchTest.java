package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the search rules with layers written by hand. If the search pulls a layer that
/// [#onUntouchable] added, the test fails.
@Timeout(1200)
class DiskSearchTest {
  private final FakeStore store = new FakeStore();
  private final List<Descriptor> layers = new ArrayList<>();

  /// Adds a layer on top.
  private DiskSearchTest on(TarWriter layer) {
    layers.add(store.add(FakeStore.TAR, layer.bytes()));
    return this;
  }

  /// Adds a top layer that the search must not pull.
  private DiskSearchTest onUntouchable() {
    FakeStore other = new FakeStore();
    layers.add(other.add(FakeStore.TAR, new TarWriter().file("disk/base.img", "base").bytes()));
    return this;
  }

  private static TarWriter tar() {
    return new TarWriter();
  }

  private FoundDisk find(String path) throws IOException {
    return DiskSearch.find(
        FakeStore.image(layers.toArray(Descriptor[]::new)),
        store,
        DiskPath.parse(path),
        SearchListener.NONE);
  }

  private String content(String path) throws IOException {
    try (FoundDisk disk = find(path);
        InputStream stream = disk.open()) {
      byte[] content = stream.readAllBytes();
      assertEquals(OptionalLong.of(content.length), disk.length());
      assertEquals(-1, stream.read());
      return new String(content, UTF_8);
    }
  }

  private void assertDisk(String expected) throws IOException {
    assertEquals(expected, content("/disk/*"));
  }

  private String refused(String path) {
    return String.valueOf(
        assertThrows(UnsupportedFeatureException.class, () -> content(path)).getMessage());
  }

  private String malformed(String path) {
    return String.valueOf(
        assertThrows(MalformedImageException.class, () -> content(path)).getMessage());
  }

  private static void assertNames(String message, String... parts) {
    for (String part : parts) {
      assertTrue(message.contains(part), () -> part + " is not in: " + message);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"disk/a.img", "./disk/a.img", "/disk/a.img", "disk//a.img", "disk/./a.img"})
  void findsTheOneFile(String name) throws IOException {
    on(tar().directory("disk/").file(name, "content").file("etc/passwd", "x"));
    assertDisk("content");
    try (FoundDisk disk = find("/disk/*")) {
      assertEquals("/disk/a.img", disk.path());
    }
  }

  @Test
  void takesHiddenFilesAndEmptyOnes() throws IOException {
    on(tar().empty("disk/.a"));
    assertDisk("");
  }

  @Test
  void refusesASecondFileBeforeOrBehind() {
    on(tar().file("disk/a.img", "a").file("other/b", "x").file("disk/b.img", "b"));
    assertNames(refused("/disk/*"), "exactly one", "/disk/a.img", "/disk/b.img", "layer 1");
  }

  @Test
  void listsAtMostTenNamesFitForATerminal() {
    TarWriter layer = tar();
    for (int i = 0; i < 30; i++) {
      layer.file("disk/a\u001b[31m" + i, "x");
    }
    on(layer);
    String message = refused("/disk/*");
    assertFalse(message.contains("\u001b"));
    assertNames(message, "[31m9", "and more");
    assertFalse(message.contains("[31m10"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk/sub/", "disk/sub/file"})
  void refusesASubdirectory(String name) {
    on(name.endsWith("/") ? tar().directory(name) : tar().file(name, "x"));
    assertNames(refused("/disk/*"), "/disk/sub", "a directory");
  }

  @Test
  void refusesASubdirectoryBesideTheFile() {
    on(tar().file("disk/a.img", "a").file("disk/sub/x", "x"));
    assertNames(refused("/disk/*"), "/disk/sub", "/disk/a.img");
  }

  @ParameterizedTest
  @CsvSource({"3", "4", "6"})
  void refusesDevicesAndFifos(char type) {
    on(tar().entry("disk/a.img", type).end());
    assertNames(refused("/disk/*"), "device", "/disk/a.img");
    assertNames(refused("/disk/a.img"), "device");
    assertNames(refused("/disk/*.img"), "device");
  }

  @Test
  void refusesTheSameNameTwice() {
    on(tar().file("disk/a.img", "a").file("./disk/a.img", "b"));
    assertNames(malformed("/disk/*"), "/disk/a.img", "more than once");
    assertNames(malformed("/disk/a.img"), "more than once");
  }

  @Test
  void refusesAFileThatIsADirectoryToo() {
    on(tar().file("disk/a.img", "a").file("disk/a.img/x", "b"));
    malformed("/disk/*");
  }

  @Test
  void toleratesADirectoryTwice() throws IOException {
    on(tar().directory("disk/").directory("./disk").file("disk/a.img", "a").directory("disk/"));
    assertDisk("a");
  }

  @Test
  void findsNothing() {
    on(tar().file("etc/passwd", "x")).on(tar());
    assertNames(refused("/disk/*"), "No disk", "test:image", "/disk/*", "it does not exist");
  }

  @Test
  void findsNothingInAnImageWithoutLayers() {
    assertNames(refused("/disk/*"), "No disk");
  }

  @Test
  void refusesNamesThatLeadOut() {
    on(tar().file("disk/../../a", "x"));
    malformed("/disk/*");
  }

  @Test
  void aPathIgnoresItsSiblings() throws IOException {
    on(
        tar()
            .file("images/a.img", "a")
            .file("images/b.img", "b")
            .file("images/sub/b.img", "x")
            .file("b.img", "root"));
    assertEquals("b", content("/images/b.img"));
    assertEquals("x", content("/images/sub/b.img"));
    assertEquals("root", content("/b.img"));
    assertNames(refused("/images/c.img"), "No disk", "/images/a.img", "/images/sub");
    assertNames(refused("/images/sub"), "a directory");
  }

  @Test
  void aGlobTakesTheOnlyMatch() throws IOException {
    on(tar().file("images/README", "r").file("images/b.qcow2", "b").file("images/d.qcow2/x", "x"));
    assertEquals("b", content("/images/*.qcow2"));
    assertEquals("r", content("/images/[A-Z]*"));
    assertNames(refused("/images/?"), "No disk", "README");
    assertNames(refused("/images/*"), "exactly one", "/images/README", "/images/b.qcow2");
  }

  @Test
  void aGlobInAnotherDirectoryIsNotKubeVirts() throws IOException {
    on(tar().file("images/a", "a").directory("images/sub"));
    assertEquals("a", content("/images/*"));
  }

  @Test
  void doesNotTouchLowerLayers() throws IOException {
    onUntouchable().on(tar().file("disk/a.img", "a")).on(tar().file("etc/x", "x"));
    assertDisk("a");
    try (FoundDisk disk = find("/disk/*")) {
      assertEquals(List.of(layers.get(2), layers.get(1)), disk.searched());
      assertEquals(layers.get(1), disk.layer());
    }
  }

  @Test
  void theTopmostLayerWithAMatchDecides() throws IOException {
    onUntouchable().on(tar().file("disk/b.img", "b"));
    assertDisk("b");
  }

  @Test
  void aWhiteoutDeletesInLowerLayersOnly() throws IOException {
    on(tar().file("disk/a.img", "old").file("disk/b.img", "b")).on(tar().empty("disk/.wh.a.img"));
    assertDisk("b");
    assertNames(refused("/disk/a.img"), "No disk", "\"/disk/a.img\" deleted by layer 2");
    on(tar().empty("disk/.wh.b.img"));
    assertNames(
        refused("/disk/*"), "/disk/b.img\" deleted by layer 3", "in layer 1, hidden by layer 2");
  }

  @Test
  void aWhiteoutDoesNotAffectItsOwnLayer() throws IOException {
    onUntouchable().on(tar().file("disk/a.img", "new").empty("disk/.wh.a.img"));
    assertDisk("new");
    layers.clear();
    onUntouchable().on(tar().empty("disk/.wh.a.img").file("disk/a.img", "new"));
    assertDisk("new");
    layers.clear();
    onUntouchable().on(tar().empty(".wh.disk").empty("disk/.wh..wh..opq").file("disk/a", "new"));
    assertDisk("new");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vm/disks/.wh..wh..opq",
        "vm/.wh..wh..opq",
        ".wh..wh..opq",
        "vm/.wh.disks",
        ".wh.vm",
        "./.wh.vm"
      })
  void opaqueAndDeletedAncestorsHideEverythingBelow(String name) {
    onUntouchable().on(tar().empty(name));
    String message = refused("/vm/disks/a.img");
    assertNames(message, "No disk", "by layer 2");
    assertNames(refused("/vm/disks/*"), "No disk");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vm/.wh.disk",
        "other/.wh..wh..opq",
        "vm/disks/sub/.wh..wh..opq",
        "vm/disks/.wh..wh.plnk/.wh.a.img",
        "vm/disks/.wh..wh.aufs",
        "vm/disks/.wh.b.img",
        "vm/disks/.wh.A.img",
        "disks/.wh.a.img",
        "vm.wh.disks"
      })
  void otherWhiteoutsHideNothing(String name) throws IOException {
    on(tar().file("vm/disks/a.img", "a")).on(tar().empty(name));
    assertEquals("a", content("/vm/disks/a.img"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk/.wh.", "disk/.wh..", "disk/.wh..."})
  void refusesWhiteoutsOfNothing(String name) {
    onUntouchable().on(tar().empty(name));
    malformed("/disk/*");
  }

  @Test
  void aFileInPlaceOfTheDirectoryHidesIt() {
    onUntouchable().on(tar().file("vm", "not a directory"));
    assertNames(refused("/vm/disks/a.img"), "\"/vm\", a file in layer 2");
    onUntouchable().on(tar().file("vm/disks", "not a directory"));
    assertNames(refused("/vm/disks/a.img"), "/vm/disks");
  }

  @Test
  void aDirectoryInPlaceOfAFileShowsNothingBelow() {
    onUntouchable().on(tar().file("disk", "x")).on(tar().directory("disk"));
    assertNames(refused("/disk/*"), "No disk");
  }

  @Test
  void aDirectoryInPlaceOfAMatchHidesIt() throws IOException {
    on(tar().file("images/a.img", "a").file("images/b.img", "b"))
        .on(tar().directory("images/a.img"));
    assertEquals("b", content("/images/*.img"));
  }

  @Test
  void refusesALayerThatContradictsItself() {
    on(tar().symbolicLink("disk", "images").file("disk/a.img", "a"));
    malformed("/disk/*");
    layers.clear();
    on(tar().file("disk/a.img", "a").symbolicLink("disk", "images"));
    malformed("/disk/*");
    layers.clear();
    on(tar().symbolicLink("disk", "images").symbolicLink("disk", "others"));
    malformed("/disk/*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../images/real.img",
        "/images/real.img",
        "../../../../images/./real.img",
        "/../images//real.img",
        "../other/../images/real.img"
      })
  void followsASymbolicLinkInsideTheImage(String target) throws IOException {
    on(tar().file("images/real.img", "real"))
        .on(tar().symbolicLink("disk/a.img", target))
        .on(tar().file("etc/x", "x"));
    assertDisk("real");
    try (FoundDisk disk = find("/disk/*")) {
      assertEquals("/images/real.img", disk.path());
      assertEquals(List.of(layers.get(2), layers.get(1), layers.get(0)), disk.searched());
    }
  }

  @Test
  void aSymbolicLinkIsResolvedAcrossAllLayers() throws IOException {
    on(tar().file("images/real.img", "old").symbolicLink("disk/a.img", "../images/real.img"))
        .on(tar().file("images/real.img", "new"));
    assertDisk("new");
    on(tar().empty("images/.wh.real.img"));
    assertNames(refused("/disk/*"), "which points to \"/images/real.img\"", "deleted by layer 3");
  }

  @Test
  void followsLinksOfTheDirectoryAndOfItsAncestors() throws IOException {
    on(
        tar()
            .symbolicLink("disk", "vm/disks")
            .symbolicLink("vm", "/srv/vm")
            .file("srv/vm/disks/a.img", "a"));
    assertDisk("a");
    on(tar().file("srv/vm/disks/b.img", "b"));
    assertDisk("b");
  }

  @Test
  void aLinkIsOneOfTheEntries() {
    on(tar().symbolicLink("disk/a.img", "b.img").file("disk/b.img", "b"));
    assertNames(refused("/disk/*"), "a symbolic link", "a file");
  }

  @Test
  void aPathThroughALinkBesideTheDisk() throws IOException {
    on(tar().symbolicLink("disk/a.img", "b.img").file("disk/b.img", "b"));
    assertEquals("b", content("/disk/a.img"));
    on(tar().symbolicLink("vm/l.img", "/vm/b.img").directory("x"));
    on(tar().file("vm/b.img", "v"));
    try (FoundDisk disk = find("/vm/l.img")) {
      assertEquals(List.of(layers.get(1), layers.get(2)), disk.searched());
    }
  }

  @Test
  void aDirectoryAboveHidesALink() {
    on(tar().symbolicLink("disk", "images").file("images/a.img", "a")).on(tar().directory("disk"));
    assertNames(refused("/disk/*"), "No disk");
  }

  @Test
  void aWhiteoutAboveHidesALink() throws IOException {
    on(tar().file("images/a.img", "a").symbolicLink("disk/l.img", "/images/a.img"))
        .on(tar().empty("disk/.wh.l.img"));
    assertNames(refused("/disk/*"), "No disk");
  }

  @Test
  void followsAHardLinkInItsOwnLayer() throws IOException {
    onUntouchable()
        .on(tar().file("images/real.img", "real").hardLink("disk/a.img", "images/real.img"))
        .on(tar().file("images/real.img", "replaced, but only by that name"));
    assertDisk("real");
  }

  @Test
  void followsAHardLinkIntoALowerLayer() throws IOException {
    on(tar().file("images/real.img", "real")).on(tar().hardLink("disk/a.img", "/images/real.img"));
    assertDisk("real");
  }

  @Test
  void followsHardLinksToHardLinksAndToSymbolicOnes() throws IOException {
    on(
        tar()
            .file("x/real.img", "real")
            .hardLink("y/one.img", "x/real.img")
            .symbolicLink("z/two.img", "../y/one.img")
            .hardLink("disk/a.img", "z/two.img"));
    assertDisk("real");
  }

  @Test
  void aHardLinkToNothingIsNoDisk() {
    on(tar().hardLink("disk/a.img", "images/gone.img"));
    assertNames(refused("/disk/*"), "No disk", "/images/gone.img");
    layers.clear();
    on(tar().hardLink("disk/a.img", "../etc/shadow"));
    malformed("/disk/*");
  }

  @ParameterizedTest
  @CsvSource({
    "disk/a.img, a.img",
    "disk, disk",
    "disk, x/../disk",
    "disk/a.img, /disk/a.img",
    "disk, /"
  })
  void linksThatLeadNowhereEnd(String name, String target) {
    on(tar().symbolicLink(name, target));
    assertThrows(IOException.class, () -> content("/disk/*"));
  }

  @Test
  void detectsCyclesOfLinks() {
    on(
        tar()
            .symbolicLink("disk/a.img", "../x/b.img")
            .symbolicLink("x/b.img", "../y/c.img")
            .symbolicLink("y/c.img", "../x/b.img"));
    assertNames(malformed("/disk/*"), "cycle");
    assertEquals(3, store.pulled.size());
  }

  @Test
  void linksThatGrowEnd() {
    on(tar().symbolicLink("disk", "disk/sub"));
    assertNames(malformed("/disk/*"), "at most 40");
    assertEquals(41, store.pulled.size());
  }

  @Test
  void followsFortyLinks() throws IOException {
    TarWriter layer = tar().file("l40", "end");
    for (int i = 0; i < 40; i++) {
      layer.symbolicLink("l" + i, "l" + (i + 1));
    }
    on(layer.symbolicLink("before", "l0"));
    assertEquals("end", content("/l0"));
    assertNames(malformed("/before"), "at most 40, found more");
  }

  @Test
  void refusesALinkToTheRoot() {
    on(tar().symbolicLink("disk/a.img", "/"));
    assertNames(refused("/disk/*"), "root directory");
  }

  @Test
  void boundsTheDepthOfLinks() {
    on(tar().symbolicLink("l", "d/d"));
    assertNames(refused("/l" + "/d".repeat(126)), "No disk");
    assertNames(malformed("/l" + "/d".repeat(127)), "deeper than 128");
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 1_001})
  void boundsTheNamesThatAreDeleted(int count) throws IOException {
    TarWriter layer = tar();
    for (int i = 0; i < count; i++) {
      layer.empty("disk/.wh." + i);
    }
    on(tar().file("disk/a.img", "a")).on(layer);
    if (count > SearchLimits.NAMES) {
      assertNames(refused("/disk/*"), "more than 1000 names");
    } else {
      assertDisk("a");
      on(tar().empty("disk/.wh.more"));
      assertNames(refused("/disk/*"), "more than 1000 names");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 1_001})
  void boundsTheNamesThatMatch(int count) throws IOException {
    TarWriter layer = tar();
    for (int i = 0; i < count; i++) {
      layer.file("disk/" + i, "x");
    }
    on(layer);
    String expected = count > SearchLimits.NAMES ? "more than 1000 names" : "and more";
    assertNames(refused("/disk/*"), expected);
    assertEquals("x", content("/disk/7"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        "application/vnd.oci.image.layer.nondistributable.v1.tar+zstd",
        "application/vnd.oci.image.layer.v1.tar+gzip+encrypted"
      })
  void doesNotSearchLayersThatAreNotThere(String mediaType) throws IOException {
    layers.add(new FakeStore().add(mediaType, new byte[] {1}));
    on(tar().file("disk/a.img", "a"));
    assertDisk("a");
    assertNames(refused("/disk/b.img"), "would have to be searched");
  }

  @Test
  void reportsItsWork() throws IOException {
    on(tar().file("x/real.img", "real"))
        .on(tar().symbolicLink("disk/a.img", "../x/real.img"))
        .on(tar().file("etc/x", "x"));
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    AtomicLong received = new AtomicLong();
    SearchListener listener =
        new SearchListener() {
          @Override
          public void layer(Descriptor layer, int fromTop) {
            heard.add("layer " + fromTop + " " + layers.indexOf(layer));
          }

          @Override
          public void received(long bytes) {
            received.addAndGet(bytes);
          }

          @Override
          public void restarted() {
            heard.add("restarted");
          }
        };
    try (FoundDisk disk =
        DiskSearch.find(
            FakeStore.image(layers.toArray(Descriptor[]::new)),
            store,
            DiskPath.DEFAULT,
            listener)) {
      for (int i = 0; i < 2; i++) {
        try (InputStream stream = disk.open()) {
          assertEquals("real", new String(stream.readAllBytes(), UTF_8));
        }
      }
    }
    assertEquals(
        List.of(
            "layer 0 2",
            "layer 1 1",
            "restarted",
            "layer 0 2",
            "layer 1 1",
            "layer 2 0",
            "restarted",
            "layer 2 0"),
        heard);
    long expected = 2 * (layers.get(2).size() + layers.get(1).size() + layers.get(0).size());
    assertEquals(expected, received.get());
  }
}
