package dev.pvcpopulators.imagetoqcow2layers.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.imagetoqcow2layers.boot.UserLookup.User;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserLookupTest {
  private static final List<String> PASSWD =
      List.of(
          "root:x:0:0:root:/root:/bin/sh",
          "",
          "# a comment",
          "broken",
          "noid:x:::/home/noid:",
          "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin",
          "alice:x:1000:100::/home/alice:/bin/sh",
          "alice:x:1001:101::/second:/bin/sh",
          "77:x:7:7::/named/77:",
          "homeless:x:8:8:::",
          "big:x:2147483647:2147483647::/:",
          "huge:x:2147483648:0::/:");
  private static final List<String> GROUP =
      List.of(
          "root:x:0:",
          "www-data:x:33:",
          "users:x:100:",
          "audio:x:29:bob,alice",
          "video:x:44:alice",
          "again:x:44:alice,bob",
          "malice:x:45:malice,alice2",
          "broken:x:no:alice",
          "short");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | 0 | 0 | '' | /root",
        "root | 0 | 0 | '' | /root",
        "www-data | 33 | 33 | '' | /var/www",
        "33 | 33 | 33 | '' | /var/www",
        "alice | 1000 | 100 | 29,44 | /home/alice",
        "1000 | 1000 | 100 | 29,44 | /home/alice",
        "alice: | 1000 | 100 | 29,44 | /home/alice",
        "alice:audio | 1000 | 29 | '' | /home/alice",
        "alice:4242 | 1000 | 4242 | '' | /home/alice",
        "65532 | 65532 | 0 | '' | /",
        "65532:65532 | 65532 | 65532 | '' | /",
        "65532:www-data | 65532 | 33 | '' | /",
        ":www-data | 0 | 33 | '' | /root",
        "77 | 7 | 7 | '' | /named/77",
        "7 | 7 | 7 | '' | /named/77",
        "homeless | 8 | 8 | '' | /",
        "2147483647 | 2147483647 | 2147483647 | '' | /",
        "0001000 | 1000 | 100 | 29,44 | /home/alice",
      })
  void findsUsersAsContainerRuntimesDo(String user, long uid, long gid, String groups, String home)
      throws Exception {
    List<Long> expected =
        groups.isEmpty()
            ? List.of()
            : List.of(groups.split(",", -1)).stream().map(Long::valueOf).toList();
    assertEquals(new User(uid, gid, expected, home), UserLookup.find(user, PASSWD, GROUP));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nobody",
        "alice:nobody",
        "noid",
        "huge",
        "2147483648",
        "-1",
        "1000:-1",
        "+1",
        " 1",
        "99999999999999999999",
        "ALICE",
        "#",
        "alice:audio:x"
      })
  void refusesUsersThatTheImageDoesNotHave(String user) {
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> UserLookup.find(user, PASSWD, GROUP));
    assertTrue(String.valueOf(thrown.getMessage()).contains("/etc/"), thrown.getMessage());
  }

  @Test
  void anImageWithoutFilesHasRootAndNumbers() throws Exception {
    assertEquals(new User(0, 0, List.of(), "/"), UserLookup.find("", List.of(), List.of()));
    assertEquals(new User(5, 6, List.of(), "/"), UserLookup.find("5:6", List.of(), List.of()));
    UnsupportedFeatureException thrown =
        assertThrows(
            UnsupportedFeatureException.class,
            () -> UserLookup.find("nginx", List.of(), List.of()));
    assertTrue(
        String.valueOf(thrown.getMessage()).contains("the user \"nginx\""), thrown.getMessage());
  }
}
