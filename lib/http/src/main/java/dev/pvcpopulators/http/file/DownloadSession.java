package dev.pvcpopulators.http.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.http.AddressPolicy;
import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.ConnectionGuard;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.DownloadClient;
import dev.pvcpopulators.http.Response;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.retry.Retries;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// The requests of one download, for URLs of permitted hosts. Any thread may close the session.
/// Closing the session ends the requests.
public final class DownloadSession implements Closeable {
  private final DownloadAccess access;
  private final DownloadClient client;

  /// Makes one attempt at a request.
  @FunctionalInterface
  interface Attempt<T> {
    T run(Transfer transfer) throws IOException;
  }

  /// Creates a session without opening a connection.
  ///
  /// @throws IllegalArgumentException if the CA bundle cannot be read, has more than 16 MiB,
  ///   contains no certificate, or contains an invalid certificate; or if the environment variable
  ///   `HTTPS_PROXY` or `HTTP_PROXY` is set and does not name a valid proxy
  public DownloadSession(DownloadAccess access) {
    this.access = access;
    client = new DownloadClient(access.http());
  }

  /// Finds the checksum of a file in a file of checksums.
  ///
  /// @param list the URL of the file of checksums
  /// @param name the name of the file
  /// @throws DigestMismatchException if [ChecksumFile#find] throws it, or if the file of checksums
  ///   is too long
  public Checksum checksum(FileUrl list, String name) throws IOException {
    try (Transfer transfer = begin()) {
      String text = retries(list, transfer).run(_ -> text(list, transfer));
      return ChecksumFile.find(text, name, list.toString());
    }
  }

  private String text(FileUrl url, Transfer transfer) throws IOException {
    try (Response response = get(url, Map.of(), transfer)) {
      if (response.status() != 200) {
        throw refused(url, response);
      }
      byte[] bytes = response.bytes(ChecksumFile.MAX_LENGTH + 1);
      if (bytes.length > ChecksumFile.MAX_LENGTH) {
        throw new DigestMismatchException(
            "Cannot read checksums from %s: expected at most %s bytes, found more"
                .formatted(url, ChecksumFile.MAX_LENGTH));
      }
      return new String(bytes, UTF_8);
    }
  }

  /// Retries an attempt until the attempt succeeds or fails permanently, or no retries are left.
  /// After a success, the transfer that was passed to the attempt stays open.
  <T> T retried(FileUrl url, Attempt<T> attempt) throws IOException {
    Transfer transfer = begin();
    try {
      return retries(url, transfer).run(_ -> attempt.run(transfer));
    } catch (IOException | RuntimeException e) {
      transfer.close();
      throw e;
    }
  }

  Retries<FileUrl> retries(FileUrl url, Transfer transfer) {
    return new Retries<>(
        List.of(url),
        access.retries(),
        Backoff.DEFAULT,
        FileChangedException.class::isInstance,
        transfer);
  }

  /// Returns a new transfer. Closing the session ends the transfer.
  ///
  /// @return the transfer; owned by the caller
  public Transfer begin() throws IOException {
    return client.begin();
  }

  /// Makes one request and follows redirects.
  ///
  /// @return the response; owned by the caller
  /// @throws SourceDeniedException if [DownloadAccess#require] or [DownloadClient#get] throws it
  Response get(FileUrl url, Map<String, String> headers, Transfer transfer) throws IOException {
    access.require(url);
    AddressPolicy addresses =
        new AddressPolicy(url.authority(), access.mayBeAnywhere(url), access.allowedSetting());
    return client.get(
        url.uri(),
        headers,
        access.credentials(),
        access::credentialed,
        ConnectionGuard.origin(addresses),
        transfer);
  }

  /// Returns the exception for a response that does not contain the file.
  IOException refused(FileUrl url, Response response) {
    String found =
        "Cannot read "
            + url
            + ": HTTP "
            + response.status()
            + (response.home() ? "" : " from the host that it redirects to");
    boolean credentials = response.home() && access.credentialed(url.uri());
    return Retries.failure(
        response,
        found,
        credentials ? ", with the credentials for this host" : ", without credentials");
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
