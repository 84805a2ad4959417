package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.FileHead;
import dev.pvcpopulators.http.file.FileUrl;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/// A request for a copy: the settings, overridden by the fields of a client's request.
///
/// @param url the URL of the file
/// @param checksum the checksum of the file, if the request or the settings state it
/// @param checksums the URL of the list of checksums, if the request or the settings name one
/// @param format the format of the disk; empty to detect it by magic numbers
record CopyRequest(
    FileUrl url,
    Optional<Checksum> checksum,
    Optional<FileUrl> checksums,
    Optional<ImageFormat> format) {
  /// The fields that a client may set.
  static final Set<String> FIELDS = Set.of("url", "sha256", "sha512", "checksumsUrl", "format");

  /// Combines settings and request. A checksum or a list of checksums in the settings applies only
  /// to the URL in the settings, and only if the request names neither a checksum nor a list.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid, if no URL is
  ///   named, or if the request or the settings have more than one of these: a SHA-256, a SHA-512,
  ///   a list of checksums; with [Failure.SourceDenied] if the request names another URL than the
  ///   settings, for the file or for the list of checksums, and the settings list no allowed hosts
  static CopyRequest of(HttpCopySettings settings, VolumeRequest request) throws VolumeException {
    Optional<FileUrl> configured =
        VolumeRequest.parse(Downloads.PREFIX + "URL", settings.url(), FileUrl::parse);
    Optional<FileUrl> named = request.value("url", Optional.empty(), FileUrl::parse);
    Optional<FileUrl> list = request.value("checksumsUrl", Optional.empty(), FileUrl::parse);
    Optional<FileUrl> configuredList =
        VolumeRequest.parse(
            Downloads.PREFIX + "CHECKSUMS_URL", settings.checksumsUrl(), FileUrl::parse);
    if (settings.allowedHosts().isEmpty()) {
      requireConfigured("url", named, configured);
      requireConfigured("checksumsUrl", list, configuredList);
    }
    FileUrl url =
        named
            .or(() -> configured)
            .orElseThrow(() ->
                VolumeException.invalid(
                    "Choosing the disk: expected HTTP_COPY_URL or the field 'url', found neither"));
    Optional<Checksum> checksum =
        checksum(request.text("sha256"), request.text("sha512"), list.isPresent());
    if (checksum.isEmpty() && list.isEmpty() && configured.equals(Optional.of(url))) {
      checksum = checksum(settings.sha256(), settings.sha512(), configuredList.isPresent());
      list = configuredList;
    }
    return new CopyRequest(
        url, checksum, list, request.value("format", settings.format(), FormatSetting::parse));
  }

  private static void requireConfigured(
      String field, Optional<FileUrl> named, Optional<FileUrl> configured) throws VolumeException {
    if (named.isPresent() && !named.equals(configured)) {
      throw new VolumeException(
          new Failure.SourceDenied(
              "Field '"
                  + field
                  + "': clients may name a URL only if "
                  + Downloads.PREFIX
                  + "ALLOWED_HOSTS lists the allowed hosts"));
    }
  }

  private static Optional<Checksum> checksum(
      Optional<String> sha256, Optional<String> sha512, boolean list) throws VolumeException {
    if (Stream.of(sha256.isPresent(), sha512.isPresent(), list).filter(it -> it).count() > 1) {
      throw VolumeException.invalid(
          "Reading the checksum: expected one of sha256, sha512 and checksumsUrl");
    }
    Optional<Checksum> longer =
        VolumeRequest.parse(
            "sha512", sha512, hex -> Checksum.parse(Checksum.Algorithm.SHA512, hex));
    return longer.isPresent()
        ? longer
        : VolumeRequest.parse(
            "sha256", sha256, hex -> Checksum.parse(Checksum.Algorithm.SHA256, hex));
  }

  /// Returns the part of the disk's record that identifies the request: the format, and a digest of
  /// the URL's query. The URL without the query is another field of the record.
  private String choice() {
    return "format="
        + format.map(ImageFormat::word).orElse("auto")
        + ";query="
        + url.queryDigest()
        + ";";
  }

  /// Returns the part of the disk's record that identifies the request and the version of the file.
  String selection(FileHead head) {
    OptionalLong size = head.size();
    return choice()
        + "size="
        + (size.isPresent() ? size.getAsLong() : "")
        + ";validator="
        + head.validator().orElse("");
  }

  /// Returns whether the recorded disk was made from this URL with the same format. If [#checksum]
  /// is present, the record must also have this checksum. The version of the file is not compared.
  boolean asked(DiskRecord record) {
    return record.source().equals(url.toString())
        && record.selection().startsWith(choice())
        && checksum.filter(it -> !it.toString().equals(record.sourceDigest())).isEmpty();
  }

  /// Returns whether the recorded disk was made from this URL with the same format, from a file
  /// with the checksum `expected`.
  boolean made(Checksum expected, DiskRecord record) {
    return asked(record) && record.sourceDigest().equals(expected.toString());
  }

  /// Returns whether the recorded disk was made with the URL and the format of this request, from
  /// the version of the file that `head` describes. Returns false if the server sends no strong
  /// validator, because the file may have changed. If [#checksum] is present, the record must also
  /// have this checksum.
  boolean made(FileHead head, DiskRecord record) {
    return asked(record)
        && head.validator().isPresent()
        && record.selection().equals(selection(head));
  }
}
