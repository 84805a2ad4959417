package dev.pvcpopulators.kit.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.MultiMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestTokenTest {
  private static final String STANDARD = "Authorization";

  /// Parses fields of the form `NAME: VALUE`, separated by `;`.
  private static RequestToken of(String fields) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    for (String field : fields.split(";", -1)) {
      int colon = field.indexOf(':');
      headers.add(field.substring(0, colon), field.substring(colon + 1));
    }
    return RequestToken.of(headers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization:Bearer t",
        "authorization:bearer  t ",
        "X-Populator-Token:t",
        "x-populator-token: t ",
        "Authorization:Bearer t;X-Populator-Token:t"
      })
  void readsTheToken(String fields) {
    assertEquals(new RequestToken("t", false), of(fields));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host:x",
        "Authorization:t",
        "Authorization:Basic t",
        "Authorization:Bearer",
        "Authorization:Bearer t;Authorization:Bearer t",
        "X-Populator-Token:t;X-Populator-Token:t",
        "X-Populator:t"
      })
  void findsNone(String fields) {
    RequestToken none = of(fields);
    assertNull(none.token());
    assertFalse(none.contradicts());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer t;X-Populator-Token:u",
        "Bearer u;X-Populator-Token:t",
        "Bearer t;X-Populator-Token:",
        "Basic t;X-Populator-Token:t",
        "t;X-Populator-Token:t",
        ";X-Populator-Token:t",
        "Bearer t;Authorization:Bearer t;X-Populator-Token:t",
        "Bearer t;X-Populator-Token:t;X-Populator-Token:t",
        "Bearer t;X-Populator-Token:t;X-Populator-Token:u"
      })
  void twoFieldsContradictUnlessTheyHaveTheSameToken(String fields) {
    RequestToken two = of(STANDARD + ":" + fields);
    assertTrue(two.contradicts());
    assertNull(two.token());
  }

  /// An empty field must count as a wrong token.
  @Test
  void anEmptyFieldIsAToken() {
    assertEquals(new RequestToken("", false), of("X-Populator-Token:"));
  }
}
