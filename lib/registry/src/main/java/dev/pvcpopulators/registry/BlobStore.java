package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/// A source of manifests and blobs: one repository of a registry, one OCI image layout, or one
/// archive of `docker save`.
///
/// Thread-safe. [#close] ends reads of other threads with an [IOException].
public interface BlobStore extends BlobOpener, Closeable {
  /// Returns the manifest or index that the tag, name, digest or position in the [SourceReference]
  /// selects. If a reference to a layout or an archive contains only the path, returns the manifest
  /// or index of the only image.
  ///
  /// @throws SourceNotFoundException if there is no such manifest or index, or if more than one
  ///   image matches
  /// @throws DigestMismatchException if the content does not match the requested digest
  /// @throws MalformedImageException if the content is not a JSON object, or exceeds a limit of
  ///   [ManifestJson#read]
  RawManifest root() throws IOException;

  /// Returns the manifest or nested index that an index names.
  ///
  /// @throws DigestMismatchException if the content differs in digest or size from the descriptor
  RawManifest manifest(Descriptor descriptor) throws IOException;

  /// Opens a part of a blob, for readers that cannot wait until the pull of the blob reaches this
  /// part. **Not verified**: no digest covers a part. A caller must either trust the source or also
  /// read the whole [#blob].
  ///
  /// @param offset bytes from the beginning of the blob
  /// @param length the number of bytes, 1 to [RegistryLimits#RANGE_LENGTH]; the part ends within
  ///   the descriptor's size
  /// @return a stream of exactly that length; the caller owns the stream. Closing the stream early
  ///   ends the transfer. Reading throws a [SourceUnavailableException] if the source does not
  ///   return exactly this part, for example because it does not support parts
  /// @throws IllegalArgumentException if the part is empty, too long or not within the descriptor's
  ///   size
  InputStream range(Descriptor blob, long offset, long length) throws IOException;

  /// Opens the part of a blob from an offset to its end, for a caller that has kept the bytes
  /// before the offset. **Not verified**: the caller must hash the whole blob, including the kept
  /// bytes. If a connection is lost, the transfer is resumed.
  ///
  /// @param offset bytes from the beginning of the blob, below the descriptor's size
  /// @return the bytes from the offset; the caller owns the stream. Closing the stream early ends
  ///   the transfer
  InputStream rest(Descriptor blob, long offset) throws IOException;

  /// Returns whether the store claims that it has a blob with this digest and size, and that the
  /// caller may read the blob. Does not read the content of the blob.
  ///
  /// The answer is not verified: a registry can claim to have blobs that it does not have. A caller
  /// may rely on the answer only if the caller trusts the store. For example, a caller may trust
  /// the registry from which it pulled the blob, because that registry decides in any case which
  /// credentials may read its repositories.
  ///
  /// @return false if the store has no such blob, or does not allow the caller to read it
  /// @throws SourceUnavailableException if the store does not answer
  boolean has(Descriptor blob) throws IOException;
}
