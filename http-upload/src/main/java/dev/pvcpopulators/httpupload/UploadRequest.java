package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.pipeline.FormatChoice;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The fields and parameters of one upload request.
///
/// @param first offset of the body's first byte in the whole upload
/// @param length number of bytes in the body; empty if the request does not announce the length
/// @param total number of bytes in the whole upload; empty if unknown. The total is known if the
///   request states it, or if the upload ends with this body and the request announces the body's
///   length
/// @param ending the rule that determines the end of the upload
/// @param content the kind of the uploaded content
/// @param format the format that the request names, otherwise the format of the settings. The value
///   also states whether the disk may begin with the magic number of an image format
/// @param whole expected digests of the whole upload
/// @param part expected digests of this body. If this body is the whole upload, `whole` contains
///   these digests, and `part` is empty
/// @param key the client's name for its upload; empty if the client gives no name
/// @param replaces the key of the client's earlier upload that this upload replaces; empty if the
///   client names no earlier upload
record UploadRequest(
    long first,
    OptionalLong length,
    OptionalLong total,
    Ending ending,
    Content content,
    FormatChoice format,
    List<ExpectedDigest> whole,
    List<ExpectedDigest> part,
    Optional<String> key,
    Optional<String> replaces) {
  static final String UPLOAD_OFFSET = "Upload-Offset";
  static final String UPLOAD_COMPLETE = "Upload-Complete";
  static final String UPLOAD_LENGTH = "Upload-Length";

  /// A header field of this service, with the client's name for its upload. A name is necessary
  /// because all uploads share one URL. In draft-ietf-httpbis-resumable-upload, each upload has its
  /// own URL.
  static final String UPLOAD_KEY = "Upload-Key";

  /// A header field of this service. A client that starts again with a new key sends its earlier
  /// key in this field.
  static final String UPLOAD_REPLACES = "Upload-Replaces";

  /// The largest number of 18 digits. The sum of two numbers of 18 digits fits into 63 bits.
  private static final long MOST_BYTES = 999_999_999_999_999_999L;

  private static final Set<String> PARAMETERS = Set.of("content", "format", "allowMagic");

  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

  /// The rule that determines the end of the upload.
  enum Ending {
    /// The upload ends with the last byte of this body.
    HERE,
    /// The upload does not end with this body. If this body contains the last byte, a later request
    /// without a body marks the end.
    LATER,
    /// The upload ends when the number of received bytes equals the total length of the upload.
    AT_TOTAL
  }

  UploadRequest {
    whole = List.copyOf(whole);
    part = List.copyOf(part);
  }

  /// Returns whether this request and the request `other` come from the same client. This is the
  /// case if their keys are equal, or if `replaces` of this request is the key of `other`. Two
  /// requests without a key count as requests of the same client.
  boolean sameClient(UploadRequest other) {
    return key.equals(other.key) || (replaces.isPresent() && replaces.equals(other.key));
  }

  /// Returns whether this body begins at the first byte of the upload.
  boolean begins() {
    return first == 0;
  }

  /// Parses the header fields and the query of a request.
  ///
  /// @param defaultFormat the name of the format if the query names none
  /// @throws VolumeException with [Failure.InvalidRequest] if a field or parameter is invalid; with
  ///   [Failure.ExceedsVolume] if the `Content-Length` has more than 18 digits; with
  ///   [Failure.DigestMismatch] if the body is an empty part and its digest is not the expected one
  static UploadRequest of(HttpServerRequest request, String defaultFormat) throws VolumeException {
    MultiMap headers = request.headers();
    requireKnownParameters(request.params());
    OptionalLong announced = number(headers, "Content-Length");
    Optional<ContentRange> range = range(headers, announced);
    OptionalLong length = range.map(part -> OptionalLong.of(part.length())).orElse(announced);
    OptionalLong uploadOffset = number(headers, UPLOAD_OFFSET);
    boolean patch = request.method().equals(HttpMethod.PATCH);
    if (patch && uploadOffset.isEmpty()) {
      throw VolumeException.invalid("A PATCH of an upload needs the field " + UPLOAD_OFFSET);
    }
    if (range.isPresent() && uploadOffset.isPresent()) {
      throw VolumeException.invalid("Expected Content-Range or " + UPLOAD_OFFSET + ", found both");
    }
    long first = range.map(ContentRange::first).orElse(uploadOffset.orElse(0));
    Ending ending = ending(complete(headers), range, patch);
    OptionalLong total = total(headers, range, first, length, ending);
    List<ExpectedDigest> whole = whole(headers);
    List<ExpectedDigest> part = digests(headers, "Content-Digest");
    if (first == 0 && ending == Ending.HERE) {
      // The digests of this body are digests of the whole upload, even if the connection is lost
      // and another request continues the upload.
      whole = Stream.concat(whole.stream(), part.stream()).distinct().toList();
      part = List.of();
    } else if (length.isEmpty() && !part.isEmpty()) {
      // Without a length, the end of a part is known only after the part has arrived.
      throw VolumeException.invalid("The Content-Digest of a part needs its Content-Length too");
    } else if (length.equals(OptionalLong.of(0))) {
      requireNothing(part);
    }
    return new UploadRequest(
        first,
        length,
        total,
        ending,
        content(once(request.params(), "content")),
        new FormatChoice(
            format(once(request.params(), "format"), defaultFormat),
            allowMagic(once(request.params(), "allowMagic"))),
        whole,
        part,
        key(headers, UPLOAD_KEY),
        key(headers, UPLOAD_REPLACES));
  }

  private static Ending ending(
      Optional<Boolean> complete, Optional<ContentRange> range, boolean patch) {
    if (complete.isPresent()) {
      return complete.get() ? Ending.HERE : Ending.LATER;
    }
    if (range.isPresent()) {
      return range.get().endsTheWhole() ? Ending.HERE : Ending.AT_TOTAL;
    }
    return patch ? Ending.AT_TOTAL : Ending.HERE;
  }

  /// Returns the length of the whole upload, if the request states this length, or if the upload
  /// ends with this body and the length of the body is known. Otherwise returns empty.
  ///
  /// @throws VolumeException if the fields contradict each other
  private static OptionalLong total(
      MultiMap headers,
      Optional<ContentRange> range,
      long first,
      OptionalLong length,
      Ending ending)
      throws VolumeException {
    OptionalLong said = number(headers, UPLOAD_LENGTH);
    OptionalLong ranged = range.map(ContentRange::total).orElse(OptionalLong.empty());
    if (said.isPresent() && ranged.isPresent() && !said.equals(ranged)) {
      throw VolumeException.invalid(
          "Expected one total, found two in Content-Range and " + UPLOAD_LENGTH);
    }
    OptionalLong total = said.isPresent() ? said : ranged;
    if (total.isPresent() && first > total.getAsLong()) {
      throw VolumeException.invalid(
          "Expected the body to begin within the total of %s bytes, found its begin at %s"
              .formatted(total.getAsLong(), first));
    }
    if (length.isEmpty()) {
      return total;
    }
    long end = Math.addExact(first, length.getAsLong());
    boolean here = ending == Ending.HERE;
    boolean beyond = total.isPresent() && end > total.getAsLong();
    boolean before = here && total.isPresent() && end < total.getAsLong();
    if (beyond || before) {
      throw VolumeException.invalid(
          "Expected the body to end %s the total of %s bytes, found its end at %s"
              .formatted(here ? "at" : "within", total.getAsLong(), end));
    }
    return total.isEmpty() && here ? OptionalLong.of(end) : total;
  }

  private static Optional<ContentRange> range(MultiMap headers, OptionalLong length)
      throws VolumeException {
    String field = "Content-Range";
    Optional<ContentRange> range =
        VolumeRequest.parse(field, Optional.ofNullable(once(headers, field)), ContentRange::parse);
    if (range.isPresent() && length.isPresent() && length.getAsLong() != range.get().length()) {
      throw VolumeException.invalid(
          "Reading Content-Range: it has %s bytes, Content-Length %s"
              .formatted(range.get().length(), length.getAsLong()));
    }
    return range;
  }

  /// Returns the value of a field; null if the field is missing. Refuses a repeated field, because
  /// a proxy may have used another value of this field.
  private static @Nullable String once(MultiMap fields, String name) throws VolumeException {
    List<String> values = fields.getAll(name);
    if (values.size() > 1) {
      throw VolumeException.invalid(
          "Expected " + name + " once, found it " + values.size() + " times");
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  private static OptionalLong number(MultiMap headers, String field) throws VolumeException {
    String value = once(headers, field);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (field.equals("Content-Length") && value.matches("\\d{19,}")) {
      throw new VolumeException(
          new Failure.ExceedsVolume(
              "Reading " + field + ": no volume has room for so many bytes",
              Long.MAX_VALUE,
              MOST_BYTES,
              false));
    }
    if (!value.matches("\\d{1,18}")) {
      throw VolumeException.invalid("Reading " + field + ": expected a number of bytes");
    }
    return OptionalLong.of(Long.parseLong(value));
  }

  /// Parses `Upload-Complete`, a Boolean of Structured Fields: `?1` or `?0` (RFC 8941, section
  /// 3.3.6). Returns empty if the field is missing.
  private static Optional<Boolean> complete(MultiMap headers) throws VolumeException {
    String value = once(headers, UPLOAD_COMPLETE);
    return switch (value) {
      case null -> Optional.empty();
      case "?1" -> Optional.of(true);
      case "?0" -> Optional.of(false);
      default ->
          throw VolumeException.invalid("Reading " + UPLOAD_COMPLETE + ": expected ?0 or ?1");
    };
  }

  private static Optional<String> key(MultiMap headers, String field) throws VolumeException {
    String value = once(headers, field);
    if (value != null && !KEY.matcher(value).matches()) {
      throw VolumeException.invalid(
          "Reading " + field + ": expected 1 to 64 of A-Z a-z 0-9 . _ ~ -");
    }
    return Optional.ofNullable(value);
  }

  /// Refuses unknown parameters. If a misspelled parameter were ignored, the disk would differ from
  /// the requested disk.
  private static void requireKnownParameters(MultiMap parameters) throws VolumeException {
    for (String name : parameters.names()) {
      if (!PARAMETERS.contains(name)) {
        throw VolumeException.invalid(
            "Unknown query parameter "
                + Quoted.of(name)
                + "; expected content, format or allowMagic");
      }
    }
  }

  private static boolean allowMagic(@Nullable String value) throws VolumeException {
    return switch (value) {
      case null -> false;
      case "true" -> true;
      case "false" -> false;
      default -> throw VolumeException.invalid("Parameter allowMagic: expected true or false");
    };
  }

  private static Content content(@Nullable String value) throws VolumeException {
    return switch (value) {
      case null -> Content.DISK;
      case "disk" -> Content.DISK;
      case "archive" -> Content.ARCHIVE;
      default -> throw VolumeException.invalid("Parameter content: expected disk or archive");
    };
  }

  /// Parses the name of a format. Returns empty for `auto`: the import detects the format.
  ///
  /// @param defaultFormat the name if `value` is null
  /// @throws VolumeException with [Failure.InvalidRequest] if no format has this name
  static Optional<ImageFormat> format(@Nullable String value, String defaultFormat)
      throws VolumeException {
    return VolumeRequest.parse(
            "format", Optional.of(value == null ? defaultFormat : value), FormatSetting::parse)
        .orElseThrow();
  }

  private static List<ExpectedDigest> whole(MultiMap headers) throws VolumeException {
    List<ExpectedDigest> digests = new ArrayList<>(digests(headers, "Repr-Digest"));
    String field = "X-Checksum-Sha256";
    VolumeRequest.parse(
            field, Optional.ofNullable(once(headers, field)), ExpectedDigest::parseHexSha256)
        .ifPresent(digests::add);
    return digests;
  }

  private static List<ExpectedDigest> digests(MultiMap headers, String field)
      throws VolumeException {
    Optional<String> value =
        Optional.of(headers.getAll(field))
            .filter(values -> !values.isEmpty())
            .map(values -> String.join(",", values));
    return VolumeRequest.parse(field, value, ExpectedDigest::parseField).orElse(List.of());
  }

  /// Verifies the expected digests of an empty part, because [VerifiedBody] verifies only parts
  /// with bytes.
  private static void requireNothing(List<ExpectedDigest> part) throws VolumeException {
    for (ExpectedDigest promise : part) {
      String found = HexFormat.of().formatHex(VerifiedBody.digest(promise.algorithm()).digest());
      if (!promise.hex().equals(found)) {
        throw new VolumeException(
            UploadEndedException.digestMismatch("a part without bytes", promise, found).failure());
      }
    }
  }
}
