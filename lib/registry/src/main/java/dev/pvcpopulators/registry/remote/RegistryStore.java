package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.AddressPolicy;
import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.ConnectionGuard;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.DownloadClient;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.retry.ResumableStream;
import dev.pvcpopulators.http.retry.Retries;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.VerifiedStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// A repository of a registry, with mirrors that are tried first.
///
/// A request is sent only when a manifest is requested, a blob is read, or [#has] is called. A
/// manifest with a known digest is accepted only if its content matches the digest. A blob that is
/// read as a whole is accepted only if its content matches the descriptor's digest. A tag is
/// resolved by the first location (a mirror or the registry) that returns a manifest for the tag.
public final class RegistryStore implements BlobStore {
  private final SourceReference.Remote reference;
  private final RegistryOptions options;
  private final Backoff backoff;
  private final DownloadClient client;
  private final List<Repository> places;

  RegistryStore(SourceReference.Remote reference, RegistryOptions options, Backoff backoff) {
    this.reference = reference;
    this.options = options;
    this.backoff = backoff;
    CredentialLookup credentials = new CredentialLookup(options.credentials());
    InsecureHosts insecure = new InsecureHosts(options.insecureRegistries());
    Endpoint registry = Endpoint.of(reference.registry(), reference.repository(), insecure);
    List<Endpoint> endpoints = new ArrayList<>();
    for (String mirror : mirrors(reference.registry(), options)) {
      endpoints.add(Endpoint.of(mirror, reference.repository(), insecure));
    }
    endpoints.add(registry);
    client = new DownloadClient(options.http());
    TokenServer tokens = new TokenServer(client, insecure);
    places =
        endpoints.stream()
            .map(endpoint -> {
              boolean named = endpoint.authority().equals(registry.authority());
              // The address of a location is not restricted in these cases: the location is a
              // mirror; a setting, and not a client, chose the registry; or the list of allowed or
              // insecure registries contains the registry.
              boolean free =
                  !named
                      || !options.chosenByClient()
                      || !options.allowedRegistries().isEmpty()
                      || insecure.allows(endpoint.authority());
              AddressPolicy addresses =
                  new AddressPolicy(
                      endpoint.authority(), free, options.settings() + "ALLOWED_REGISTRIES");
              return new Repository(
                  endpoint,
                  client,
                  new Authenticator(endpoint, named, credentials, tokens, addresses),
                  ConnectionGuard.origin(addresses));
            })
            .toList();
  }

  /// Opens a repository.
  ///
  /// @throws IllegalArgumentException if the CA bundle or a file of [Credentials#dockerConfigs]
  ///   cannot be read, if the CA bundle or a proxy in [Credentials#environment] is invalid, or if
  ///   the registry's name does not have the form `host[:port]`
  /// @throws SourceDeniedException if the options do not allow the registry
  public static RegistryStore open(SourceReference.Remote reference, RegistryOptions options)
      throws SourceDeniedException {
    if (!options.allows(reference)) {
      throw new SourceDeniedException(
          "Access to %s/%s is denied: it is not listed in %sALLOWED_REGISTRIES"
              .formatted(reference.registry(), reference.repository(), options.settings()));
    }
    return new RegistryStore(reference, options, Backoff.DEFAULT);
  }

  /// Returns the mirrors. Docker Hub has several names, and its mirrors may be listed under any of
  /// them.
  private static List<String> mirrors(String registry, RegistryOptions options) {
    for (String alias : RegistryAliasGroup.getAliasesGroup(registry.toLowerCase(Locale.ROOT))) {
      List<String> mirrors = options.mirrors().get(alias);
      if (mirrors != null) {
        return mirrors;
      }
    }
    return List.of();
  }

  @Override
  public RawManifest root() throws IOException {
    return manifest(reference.qualifier(), reference.digest(), OptionalLong.empty());
  }

  @Override
  public RawManifest manifest(Descriptor descriptor) throws IOException {
    Digest digest = descriptor.digest();
    return manifest(digest.toString(), Optional.of(digest), OptionalLong.of(descriptor.size()));
  }

  private RawManifest manifest(String qualifier, Optional<Digest> expected, OptionalLong size)
      throws IOException {
    try (Transfer transfer = client.begin()) {
      return retries(transfer).run(place -> place.manifest(qualifier, expected, size, transfer));
    }
  }

  /// Opens a blob, which is fetched on the first read.
  ///
  /// Reading throws the exceptions of [BlobStore#blob], and a [SourceDeniedException] if the
  /// registry denies access. If another thread closes the stream or the store, the reader gets an
  /// [IOException] at once.
  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    Transfer transfer = client.begin();
    ResumableStream<Repository> content =
        ResumableStream.whole(
            "blob " + descriptor.digest(),
            descriptor.size(),
            (place, position) -> place.blob(descriptor, position, transfer),
            retries(transfer),
            transfer);
    return new VerifiedStream(content, descriptor, listener, content::encodingNote);
  }

  /// Opens a part of a blob by an HTTP range request, which is sent on the first read. Mirrors are
  /// tried first, as in [#blob]; a mirror without range support is skipped.
  @Override
  public InputStream range(Descriptor blob, long offset, long length) throws IOException {
    RegistryLimits.requireRange(blob, offset, length);
    Transfer transfer = client.begin();
    long end = offset + length;
    return ResumableStream.part(
        "blob " + blob.digest(),
        offset,
        length,
        (place, position) -> place.range(blob, position, end - position, transfer),
        retries(transfer),
        transfer);
  }

  /// Opens the rest of a blob by an HTTP range request, which is sent on the first read. A server
  /// without range support sends the whole blob; the stream then skips the bytes before the offset.
  @Override
  public InputStream rest(Descriptor blob, long offset) throws IOException {
    long length = blob.size() - Objects.checkIndex(offset, blob.size());
    Transfer transfer = client.begin();
    return ResumableStream.part(
        "blob " + blob.digest(),
        offset,
        length,
        (place, position) -> place.blob(blob, position, transfer),
        retries(transfer),
        transfer);
  }

  /// Sends a HEAD request for the blob (OCI distribution-spec 1.1, "Checking if content exists in
  /// the registry"). Uses the same credentials as a pull, and tries the mirrors first, as a pull
  /// does.
  @Override
  public boolean has(Descriptor blob) throws IOException {
    try (Transfer transfer = client.begin()) {
      return retries(transfer)
          .run(place -> {
            place.requireBlob(blob, transfer);
            return true;
          });
    } catch (SourceNotFoundException | SourceDeniedException | DigestMismatchException _) {
      return false;
    }
  }

  private Retries<Repository> retries(Transfer transfer) {
    return new Retries<>(places, options.retries(), backoff, RegistryStore::isPermanent, transfer);
  }

  /// Returns true if the manifest is malformed or not supported: a retry at the same location would
  /// fail again.
  private static boolean isPermanent(IOException failure) {
    return failure instanceof MalformedImageException
        || failure instanceof UnsupportedFeatureException;
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
