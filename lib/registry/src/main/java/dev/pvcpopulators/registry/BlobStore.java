package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/// One repository of a registry, one layout or one archive: where manifests and blobs come from.
///
/// For several threads. [#close] ends what the others are reading with an [IOException].
public interface BlobStore extends Closeable {
  /// Returns the manifest or index that the store was opened for: by tag, by digest, or the only
  /// one.
  ///
  /// @throws SourceNotFoundException if there is none
  /// @throws DigestMismatchException if it was named by digest and is another
  /// @throws MalformedImageException if it is no JSON object, or longer than
  ///   [RegistryLimits#MANIFEST_LENGTH]
  RawManifest root() throws IOException;

  /// Returns the manifest that an index names.
  ///
  /// @throws DigestMismatchException if it differs in digest or size from its descriptor
  RawManifest manifest(Descriptor descriptor) throws IOException;

  /// Opens a blob. Reading ends with -1 only when digest and size are what the descriptor says;
  /// else with a [DigestMismatchException]. A lost connection is resumed; the reader does not
  /// notice.
  ///
  /// @param listener hears of each byte once
  /// @return owned by the caller; closing it early ends the transfer
  InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException;

  /// Opens a part of a blob, for readers that cannot wait until the blob has arrived that far.
  /// **Not verified**: no digest covers a part. The caller has to trust the source until it has
  /// read the whole [#blob] as well.
  ///
  /// @param offset bytes from the beginning of the blob
  /// @param length bytes, 1 to [RegistryLimits#RANGE_LENGTH]; the part ends within the descriptor's
  ///   size
  /// @return exactly so many bytes, then -1; owned by the caller. Closing it early ends the
  ///   transfer. Reading throws a [SourceUnavailableException] if the source has no such part, or
  ///   gives no parts at all
  /// @throws IllegalArgumentException for a part out of those bounds
  InputStream range(Descriptor blob, long offset, long length) throws IOException;

  /// The part of a blob from an offset to its end, for a caller that has kept the bytes before it.
  /// **Not verified**: the caller hashes the whole blob. A lost connection is resumed.
  ///
  /// @param offset bytes from the beginning of the blob, below the descriptor's size
  /// @return owned by the caller; closing it early ends the transfer
  InputStream rest(Descriptor blob, long offset) throws IOException;

  /// Returns whether the store says that it has a blob of this digest and size, and would give it
  /// to its caller. Reads none of the blob.
  ///
  /// This is the store's word. It proves something to the reader who trusts the store, such as the
  /// registry that the blob was pulled from: it knows which credentials may read which repository.
  /// A registry that another party runs can confirm blobs that it does not have.
  ///
  /// @return false if there is no such blob, or it is not for these credentials
  /// @throws SourceUnavailableException if the store gives no answer
  boolean has(Descriptor blob) throws IOException;
}
