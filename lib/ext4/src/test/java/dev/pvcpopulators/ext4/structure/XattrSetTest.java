package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests extended attributes: compares the bytes that this library writes with the kernel's bytes,
/// and lets e2fsck and getfattr read the library's attributes.
@Tag("tools")
class XattrSetTest {
  private static final String DUMP = "getfattr --absolute-names -h -d -m - -e base64 \"$1\"";

  private static KernelImage image;

  @BeforeAll
  static void make() throws IOException {
    image = KernelImage.make(16 << 20);
    image.mounted(
        """
        : > capable; setcap cap_net_raw,cap_net_admin+ep capable
        : > listed; setfattr -n system.posix_acl_access -v "$1" listed
        mkdir default; setfattr -n system.posix_acl_default -v "$1" default
        setfattr -n system.posix_acl_access -v "$2" default
        : > mixed
        setfattr -n user.empty mixed
        setfattr -n user.a -v b mixed
        setfattr -n trusted.overlay.opaque -v y mixed
        setfattr -n security.other -v "$(head -c 300 /dev/zero | tr '\\0' s)" mixed
        setfattr -n user.ümlaut -v 0sAAECAwQF/w== mixed
        setfattr -n system.posix_acl_access -v "$2" mixed
        : > many
        for i in {1..60}; do setfattr -n "user.n$i" -v "value $i" many; done
        for i in {1..4}; do
          : > ours$i
          setfattr -n user.block -v "$(head -c 2000 /dev/zero | tr '\\0' $i)" ours$i
        done
        """,
        base64(
            acl(1, 6, -1, 2, 7, 1000, 2, 4, -294967296, 4, 4, -1, 8, 1, 12, 16, 6, -1, 32, 4, -1)),
        base64(acl(1, 6, -1, 2, 4, 7, 4, 4, -1, 16, 4, -1, 32, 4, -1)));
  }

  @AfterAll
  static void close() throws IOException {
    image.close();
  }

  /// Returns the names and values that getfattr prints.
  private static Map<String, Bytes> dumped(String path) {
    Map<String, Bytes> found = new TreeMap<>();
    for (String line : image.mounted(DUMP, path).split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0 && line.charAt(0) != '#') {
        String value = line.substring(equals + 1);
        byte[] bytes =
            value.isEmpty() || value.equals("\"\"")
                ? new byte[0]
                : Base64.getDecoder().decode(value.substring(2));
        found.put(unescaped(line.substring(0, equals)), Bytes.of(bytes));
      }
    }
    return found;
  }

  /// Decodes a name. getfattr prints each byte above 127 as a backslash and three octal digits.
  private static String unescaped(String name) {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    byte[] source = name.getBytes(UTF_8);
    for (int i = 0; i < source.length; i++) {
      if (source[i] == '\\') {
        bytes.write(Integer.parseInt(new String(source, i + 1, 3, UTF_8), 8));
        i += 3;
      } else {
        bytes.write(source[i]);
      }
    }
    return bytes.toString(UTF_8);
  }

  private static Map<String, Bytes> map(List<Xattr> attributes) {
    Map<String, Bytes> map = new TreeMap<>();
    for (Xattr attribute : attributes) {
      assertEquals(null, map.put(attribute.name(), attribute.value()));
    }
    return map;
  }

  /// A single attribute has only one possible position, so this library and the kernel write the
  /// same bytes.
  @ParameterizedTest
  @ValueSource(strings = {"capable", "listed"})
  void writesTheBytesOfTheKernel(String path) throws IOException {
    XattrSet ours = XattrSet.of(list(dumped(path)));
    Inode inode = Inode.read(image.inode(image.inodeNumber(path)));
    assertEquals(inode.inlineXattrs(), ours.inline());
    assertEquals(Optional.empty(), ours.block());
  }

  @Test
  void hashesAsTheKernelDoes() throws IOException {
    image.mounted(
        "rm -f hashed; : > hashed; setfattr -n user.long -v \"$(head -c 99 /dev/zero | tr '\\0'"
            + " h)\" hashed");
    Inode inode = Inode.read(image.inode(image.inodeNumber("hashed")));
    ByteBuffer ours = XattrSet.of(list(dumped("hashed"))).block().orElseThrow();
    assertEquals(image.block(inode.xattrBlock()), ours);
  }

  private static List<Xattr> list(Map<String, Bytes> attributes) {
    List<Xattr> list = new ArrayList<>();
    attributes.forEach((name, value) -> list.add(new Xattr(name, value)));
    return list;
  }

  /// Writes attributes into a file that already has a block for attributes.
  private static void put(String path, XattrSet set) throws IOException {
    int number = image.inodeNumber(path);
    Inode inode = Inode.read(image.inode(number));
    image.block(inode.xattrBlock(), set.block().orElseThrow());
    ByteBuffer raw = ByteBuffer.allocate(Inode.SIZE);
    new Inode(
            inode.mode(),
            inode.uid(),
            inode.gid(),
            inode.size(),
            inode.accessed(),
            inode.changed(),
            inode.modified(),
            inode.created(),
            inode.links(),
            inode.sectors(),
            inode.flags(),
            inode.block(),
            inode.xattrBlock(),
            set.inline())
        .write(raw);
    image.inode(number, raw);
  }

  @Test
  void isReadByTheKernelAndE2fsck() throws IOException {
    List<Xattr> mixed = new ArrayList<>(list(dumped("mixed")));
    mixed.addAll(list(dumped("capable")));
    mixed.add(attribute("user." + "n".repeat(250), 40));
    mixed.add(attribute("user.z", 0));
    mixed.add(attribute("trusted.x", 3));
    List<Xattr> shuffled = new ArrayList<>(mixed);
    Collections.shuffle(shuffled, new Random(5));
    XattrSet set = XattrSet.of(mixed);
    assertEquals(set, XattrSet.of(shuffled));
    put("ours1", set);
    put("ours2", XattrSet.of(list(dumped("many"))));
    image.check();
    assertEquals(map(mixed), dumped("ours1"));
    assertEquals(dumped("many"), dumped("ours2"));
    // The kernel must find each attribute by name, add an attribute, and remove an attribute.
    for (Xattr attribute : mixed) {
      image.mounted("getfattr -n \"$1\" ours1", attribute.name());
    }
    image.mounted("setfattr -n user.more -v more ours1; setfattr -x user.n7 ours2");
    image.check();
    assertEquals(map(mixed).size() + 1, dumped("ours1").size());
  }

  private static Xattr attribute(String name, int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (i * 7 + 1);
    }
    return new Xattr(name, Bytes.of(value));
  }

  @Test
  void fillsInodeAndBlockToTheLastByte() throws IOException {
    // The inode has 96 bytes for attributes: 4 for the magic number, 4 for the final zeros, 16 for
    // the entry, 4 for its name, and 68 for the value.
    assertEquals(true, XattrSet.of(List.of(attribute("user.abcd", 68))).block().isEmpty());
    assertEquals(true, XattrSet.of(List.of(attribute("user.abcd", 69))).inline().length() == 0);
    // The block has 4,096 bytes: 32 for the header, 4 for the final zeros, 20 for the entry with
    // its name, and 4,040 for the value.
    List<Xattr> full = List.of(attribute("user.abcd", 68), attribute("user.wxyz", 4040));
    put("ours3", XattrSet.of(full));
    image.check();
    assertEquals(map(full), dumped("ours3"));
    assertThrows(
        UnrepresentableException.class,
        () -> XattrSet.of(List.of(attribute("user.abcd", 68), attribute("user.wxyz", 4041))));
    assertThrows(
        UnrepresentableException.class,
        () -> XattrSet.of(List.of(attribute("user.abcd", 100 << 20))));
  }

  @Test
  void refusesNamesThatExt4DoesNotKeep() throws IOException {
    XattrSet.of(List.of(attribute("user." + "n".repeat(250), 1)));
    for (String name :
        List.of(
            "user." + "n".repeat(251),
            "user.",
            "user",
            "",
            "system.nfs4_acl",
            "system.data",
            "os2.x",
            "user.a\0b",
            "system.posix_acl_access.x",
            "trusted.",
            "user.\n".repeat(9999))) {
      UnrepresentableException refusal =
          assertThrows(
              UnrepresentableException.class, () -> XattrSet.of(List.of(attribute(name, 1))), name);
      String message = String.valueOf(refusal.getMessage());
      assertEquals(true, message.length() < 200 && message.indexOf('\n') < 0, message);
    }
  }

  @Test
  void takesTheLastOfTwoWithOneName() throws IOException {
    Xattr last = attribute("user.x", 3);
    Xattr other = attribute("user.y", 1);
    assertEquals(
        XattrSet.of(List.of(other, last)),
        XattrSet.of(List.of(attribute("user.x", 50), other, last)));
  }

  /// Returns a value in the form that setfattr accepts.
  private static String base64(Bytes value) {
    return "0s" + Base64.getEncoder().encodeToString(value.toArray());
  }

  /// Returns an ACL in the format that setxattr(2) accepts.
  ///
  /// @param words tag, permissions and ID of each entry
  private static Bytes acl(int... words) {
    ByteBuffer acl = ByteBuffer.allocate(4 + words.length / 3 * 8).order(ByteOrder.LITTLE_ENDIAN);
    acl.putInt(2);
    for (int i = 0; i < words.length; i += 3) {
      acl.putShort((short) words[i]).putShort((short) words[i + 1]).putInt(words[i + 2]);
    }
    return Bytes.read(acl.flip(), acl.limit());
  }

  @Test
  void refusesListsThatLinuxRefuses() throws IOException {
    String name = "system.posix_acl_access";
    Bytes sound = acl(1, 7, -1, 2, 6, 5, 4, 5, -1, 0x10, 7, -1, 0x20, 4, -1);
    assertEquals(false, XattrSet.of(List.of(new Xattr(name, sound))).inline().length() == 0);
    for (Bytes refused :
        List.of(
            Bytes.NONE,
            Bytes.of((byte) 2, (byte) 0, (byte) 0),
            Bytes.of((byte) 1, (byte) 0, (byte) 0, (byte) 0),
            acl(4, 5, -1, 1, 7, -1, 0x20, 4, -1),
            acl(1, 7, -1, 4, 5, -1),
            acl(1, 7, -1, 2, 6, 5, 4, 5, -1, 0x20, 4, -1),
            acl(1, 7, -1, 2, 6, -1, 4, 5, -1, 0x10, 7, -1, 0x20, 4, -1),
            acl(1, 8, -1, 2, 6, 5, 4, 5, -1, 0x10, 7, -1, 0x20, 4, -1),
            acl(1, 7, -1, 2, 6, 5, 0x40, 5, -1, 0x10, 7, -1, 0x20, 4, -1))) {
      assertThrows(
          UnrepresentableException.class, () -> XattrSet.of(List.of(new Xattr(name, refused))));
      // The kernel must also refuse these values. The test does not check this for the first three
      // values, which contain no ACL entry.
      if (refused.length() > 12) {
        String value = base64(refused);
        assertThrows(
            AssertionError.class,
            () -> image.mounted("setfattr -n \"$1\" -v \"$2\" ours4", name, value));
      }
    }
  }

  @Test
  void omitsAttributesThatTheModeImplies() throws IOException {
    Bytes mode = acl(1, 6, -1, 4, 4, -1, 0x20, 4, -1);
    String value = base64(mode);
    image.mounted(": > plain; setfattr -n system.posix_acl_access -v \"$1\" plain", value);
    assertEquals(Map.of(), dumped("plain"));
    assertEquals(
        new XattrSet(Bytes.NONE, Optional.empty()),
        XattrSet.of(List.of(new Xattr("system.posix_acl_access", mode))));
    image.mounted("mkdir kept; setfattr -n system.posix_acl_default -v \"$1\" kept", value);
    XattrSet kept = XattrSet.of(List.of(new Xattr("system.posix_acl_default", mode)));
    Inode inode = Inode.read(image.inode(image.inodeNumber("kept")));
    assertEquals(inode.inlineXattrs(), kept.inline());
  }
}
