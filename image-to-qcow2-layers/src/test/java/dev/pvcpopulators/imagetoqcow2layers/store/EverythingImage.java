package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.it.TarWriter;
import java.util.List;
import java.util.Random;

/// A small image that contains every feature of a layer.
final class EverythingImage {
  /// The value of `security.capability` for `cap_net_raw+ep`, revision 2 (linux/capability.h).
  private static final String CAPABILITY = "\1\0\0\2\0\40\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

  private static final int LARGE = 300_000;

  private EverythingImage() {}

  static List<byte[]> layers() {
    return List.of(base(), changes(), removals());
  }

  private static byte[] base() {
    byte[] large = new byte[LARGE];
    new Random(5).nextBytes(large);
    TarWriter tar = new TarWriter();
    tar.entry("bin", '5').mode(01777).time(1_111_111_111).end();
    tar.entry("bin/large", '0').mode(04755).owner(1000, 70_000).data(large).end();
    tar.entry("bin/owner", '0').owner(0xffff_fffeL, 4_000_000_000L).data("x").end();
    tar.hardLink("bin/other", "/bin/large");
    tar.symbolicLink("bin/short", "large");
    tar.hardLink("bin/linked-link", "bin/short");
    tar.pax("linkpath", "long/".repeat(60)).symbolicLink("bin/long", "-");
    tar.pax("path", "deep/" + "x".repeat(200) + "/" + "y".repeat(255)).file("-", "deep");
    tar.pax("SCHILY.xattr.security.capability", CAPABILITY, "SCHILY.xattr.user.bin", "\0\377=\n\1")
        .file("bin/ping", "capable");
    tar.pax("SCHILY.xattr.user.big", "v".repeat(2000)).file("bin/big-attribute", "");
    tar.pax("mtime", "1234567890.123456789").file("nanoseconds", "");
    tar.pax("mtime", "-1.5").file("before-1970", "");
    tar.pax("mtime", "4102444800.25").file("after-2038", "");
    tar.entry("latin-\u00e9".getBytes(ISO_8859_1), '0').data("bytes").end();
    tar.pax("path", "pax-\351").file("-", "bytes");
    tar.directory("dev");
    tar.entry("dev/null", '3').mode(0666).device(1, 3).end();
    tar.entry("dev/high", '3').mode(0666).device(300, 70_000).end();
    tar.entry("dev/loop", '4').mode(0660).device(7, 0).end();
    tar.entry("dev/fifo", '6').mode(0600).end();
    tar.file("missing/parent/file", "made");
    tar.file("../../escaped", "confined").file("/absolute", "confined");
    tar.directory("swap-directory").file("swap-directory/file", "1").file("swap-file", "1");
    tar.directory("opaque").file("opaque/old", "1").directory("opaque/kept");
    tar.file("opaque/kept/old", "1").file("removed", "1").file("replaced", "old");
    tar.directory("removed-directory").file("removed-directory/file", "1");
    return tar.entry("./", '5').mode(0711).owner(3, 4).time(1_000_000_000).end().bytes();
  }

  private static byte[] changes() {
    TarWriter tar = new TarWriter();
    tar.file("swap-directory", "now a file");
    tar.directory("swap-file").file("swap-file/file", "now in a directory");
    tar.hardLink("bin/across", "bin/large");
    tar.hardLink("bin/across-link", "bin/linked-link");
    tar.file("replaced", "new and longer");
    tar.directory("opaque").file("opaque/.wh..wh..opq", "").file("opaque/new", "2");
    tar.file(".wh.removed", "").file(".wh.removed-directory", "").file(".wh.never-was", "");
    tar.entry("bin", '5').mode(0755).owner(5, 6).time(1_222_222_222).end();
    tar.file(".wh..wh.aufs", "").directory(".wh..wh.plnk");
    tar.file("twice", "first").file("twice", "second");
    return tar.bytes();
  }

  private static byte[] removals() {
    TarWriter tar = new TarWriter();
    tar.file("bin/.wh.large", "");
    tar.file("removed-directory/again", "3");
    tar.file("late/whiteout", "stays").file(".wh.late", "");
    return tar.bytes();
  }
}
