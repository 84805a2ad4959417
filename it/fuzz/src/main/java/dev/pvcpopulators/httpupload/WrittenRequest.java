package dev.pvcpopulators.httpupload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/// A request that is parsed from bytes: a line `METHOD QUERY CONNECTION`, fields, an empty line,
/// and the body.
///
/// A fuzzer cannot compute a digest, so the values of fields may contain marks. This class replaces
/// `@256` and `@512` by the base64-encoded SHA-256 and SHA-512 digests of the body. This class
/// replaces `@hex` by the hexadecimal SHA-256 digest of the body. The marks `$256`, `$512` and
/// `$hex` mean the same digests of the whole upload, including this body.
///
/// @param request the request as the server receives it; of its methods, only `headers`, `method`
///   and `params` work
/// @param body the body, read-only
/// @param connection contains `h` if the connection stays open after the body, `s` if the
///   connection counts as silent, and `w` if time passes before the request
record WrittenRequest(HttpServerRequest request, ByteBuffer body, String connection) {
  private static final int PARTS = 3;

  /// Parses a request.
  ///
  /// @param before the bytes of the current upload that clients have sent in earlier requests
  static WrittenRequest of(byte[] bytes, byte[] before) {
    String text = new String(bytes, ISO_8859_1);
    int end = text.indexOf("\n\n");
    String head = end < 0 ? text : text.substring(0, end);
    byte[] body = (end < 0 ? "" : text.substring(end + 2)).getBytes(ISO_8859_1);
    String[] lines = head.split("\n", -1);
    String[] first = lines[0].split(" ", PARTS);
    MultiMap fields = MultiMap.caseInsensitiveMultiMap();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon > 0) {
        String value = lines[i].substring(colon + 1).strip();
        fields.add(lines[i].substring(0, colon), filled(value, body, before));
      }
    }
    HttpMethod method = first[0].equals("PATCH") ? HttpMethod.PATCH : HttpMethod.PUT;
    String query = first.length > 1 ? first[1] : "";
    return new WrittenRequest(
        asServerSees(method, fields, query),
        ByteBuffer.wrap(body).asReadOnlyBuffer(),
        first.length < PARTS ? "" : first[2]);
  }

  private static HttpServerRequest asServerSees(HttpMethod method, MultiMap fields, String query) {
    return (HttpServerRequest)
        Proxy.newProxyInstance(
            WrittenRequest.class.getClassLoader(),
            new Class<?>[] {HttpServerRequest.class},
            (_, asked, _) ->
                switch (asked.getName()) {
                  case "headers" -> fields;
                  case "method" -> method;
                  case "params" -> parameters(query);
                  default -> throw new UnsupportedOperationException(asked.toString());
                });
  }

  private static MultiMap parameters(String query) {
    MultiMap parameters = MultiMap.caseInsensitiveMultiMap();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals >= 0) {
        parameters.add(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return parameters;
  }

  private static String filled(String value, byte[] body, byte[] before) {
    if (value.indexOf('@') < 0 && value.indexOf('$') < 0) {
      return value;
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(before);
    all.writeBytes(body);
    return filled(filled(value, "@", body), "$", all.toByteArray());
  }

  private static String filled(String value, String mark, byte[] bytes) {
    Base64.Encoder base64 = Base64.getEncoder();
    return value
        .replace(mark + "256", base64.encodeToString(digest("SHA-256", bytes)))
        .replace(mark + "512", base64.encodeToString(digest("SHA-512", bytes)))
        .replace(mark + "hex", HexFormat.of().formatHex(digest("SHA-256", bytes)));
  }

  static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
