package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.it.TarBytes;
import dev.pvcpopulators.it.TarWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TarEntryTest {
  private static final byte[] NOTHING = new byte[0];

  private static List<TarEntry> all(byte[] tar) throws IOException {
    List<TarEntry> all = new ArrayList<>();
    try (TarReader entries = new TarReader(new ByteArrayInputStream(tar))) {
      Optional<TarEntry> entry = TarEntry.next(entries);
      while (entry.isPresent()) {
        all.add(entry.get());
        entry = TarEntry.next(entries);
      }
      entries.drain();
    }
    return all;
  }

  @Test
  void reportsTypesOfEntries() throws IOException {
    byte[] tar =
        TarBytes.archive(
            TarBytes.entry("./", '5', "", NOTHING),
            TarBytes.entry("/d//e/./f", '0', "", "abc".getBytes(UTF_8)),
            TarBytes.entry("d/", '0', "", NOTHING),
            TarBytes.entry("s", '2', "../x/../y", NOTHING),
            TarBytes.entry("h", '1', "/d/e//f", NOTHING),
            TarBytes.entry("fifo", '6', "", NOTHING));
    List<TarEntry> entries = all(tar);
    assertEquals(
        List.of(
            new TarEntry(List.of(), TarEntry.Kind.DIRECTORY, "", 0),
            new TarEntry(List.of("d", "e", "f"), TarEntry.Kind.FILE, "", 3),
            new TarEntry(List.of("d"), TarEntry.Kind.DIRECTORY, "", 0),
            new TarEntry(List.of("s"), TarEntry.Kind.SYMBOLIC_LINK, "../x/../y", 0),
            new TarEntry(List.of("h"), TarEntry.Kind.HARD_LINK, "/d/e//f", 0),
            new TarEntry(List.of("fifo"), TarEntry.Kind.SPECIAL, "", 0)),
        entries);
    assertEquals(List.of("d", "e", "f"), entries.get(4).hardLinkTarget());
    assertThrows(MalformedImageException.class, () -> entries.get(3).hardLinkTarget());
  }

  @Test
  void refusesNamesThatLeadOutAndWrongChecksums() {
    byte[] out = TarBytes.archive(TarBytes.entry("/../x", '0', "", NOTHING));
    assertThrows(MalformedImageException.class, () -> all(out));
    byte[] wrong = TarBytes.archive(TarBytes.entry("x", '0', "", NOTHING));
    wrong[0] = 'y';
    assertThrows(MalformedImageException.class, () -> all(wrong));
  }

  private static List<TarMember> members(TarWriter tar) throws IOException {
    List<TarMember> members = new ArrayList<>();
    try (TarReader reader = new TarReader(new ByteArrayInputStream(tar.bytes()))) {
      Optional<TarMember> member = reader.next();
      while (member.isPresent()) {
        members.add(member.get());
        member = reader.next();
      }
    }
    return members;
  }

  private static List<Long> users(TarWriter tar) throws IOException {
    return members(tar).stream().map(TarMember::uid).toList();
  }

  /// See POSIX.1-2017, pax, "pax Extended Header Keyword Precedence".
  @Test
  void anOwnRecordPrecedesAGlobalOne() throws IOException {
    assertEquals(
        List.of(5L, 7L),
        users(
            new TarWriter().extended('g', "uid", "7").pax("uid", "5").file("a", "").file("b", "")));
    assertEquals(
        List.of(5L, 7L),
        users(
            new TarWriter().pax("uid", "5").extended('g', "uid", "7").file("a", "").file("b", "")));
  }

  @Test
  void anEmptyRecordCancelsAGlobalOne() throws IOException {
    assertEquals(
        List.of(0L, 7L, 0L, 0L),
        users(
            new TarWriter()
                .extended('g', "uid", "7")
                .pax("uid", "")
                .file("a", "")
                .file("b", "")
                .extended('g', "uid", "", "path", "")
                .file("c", "")
                .file("d", "")));
  }

  @Test
  void anAttributeCanBeEmpty() throws IOException {
    TarWriter tar =
        new TarWriter().pax("SCHILY.xattr.user.a", "", "LIBARCHIVE.xattr.user.b", "").file("a", "");
    assertEquals(
        List.of(
            new TarMember.Attribute("user.a", ByteString.EMPTY),
            new TarMember.Attribute("user.b", ByteString.EMPTY)),
        members(tar).getFirst().attributes());
  }

  /// umoci omits the padding of the last file. Go's `archive/tar` accepts an archive without this
  /// padding, but refuses a shorter archive.
  @Test
  void theLastFileNeedsNoPadding() throws IOException {
    byte[] tar = TarBytes.entry("x", '0', "", new byte[700]);
    for (int length = 512; length <= tar.length; length++) {
      byte[] cut = Arrays.copyOf(tar, length);
      if (length == 512 + 700 || length == tar.length) {
        assertEquals(1, all(cut).size());
      } else {
        assertThrows(MalformedImageException.class, () -> all(cut), "cut to " + cut.length);
      }
    }
  }
}
