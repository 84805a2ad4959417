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
  /// The manifest or index that the store was opened for: by tag, by digest, or the only one.
  ///
  /// @throws SourceNotFoundException where there is none
  /// @throws DigestMismatchException where it was named by digest and is another
  /// @throws MalformedImageException where it is no JSON object, or longer than
  ///   [RegistryLimits#MANIFEST_LENGTH]
  RawManifest root() throws IOException;

  /// The manifest that an index names.
  ///
  /// @throws DigestMismatchException where it differs in digest or size from its descriptor
  RawManifest manifest(Descriptor descriptor) throws IOException;

  /// A blob. Reading ends with -1 only when digest and size are what the descriptor says; else with
  /// a [DigestMismatchException]. A lost connection is taken up again behind the reader's back.
  ///
  /// @param listener hears of each byte once
  /// @return owned by the caller; closing it early ends the transfer
  InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException;

  /// A part of a blob, for whoever cannot wait until the blob has come that far. **Not verified**:
  /// no digest says what a part must be. Whoever uses it takes the source's word for it, and reads
  /// the whole [#blob] as well to learn whether that was kept.
  ///
  /// @param offset bytes from the beginning of the blob
  /// @param length bytes, 1 to [RegistryLimits#RANGE_LENGTH]; the part ends within the descriptor's
  ///   size
  /// @return exactly so many bytes, then -1; owned by the caller. Closing it early ends the
  ///   transfer. Reading throws a [SourceUnavailableException] where the source has no such part,
  ///   or gives no parts at all
  /// @throws IllegalArgumentException for a part out of those bounds
  InputStream range(Descriptor blob, long offset, long length) throws IOException;

  /// Returns whether the store says that it has a blob of this digest and size, and would give it
  /// to its caller. Reads none of the blob.
  ///
  /// This is the store's word. It proves something to the reader who trusts the store, such as the
  /// registry that the blob was pulled from: it knows which credentials may read which repository.
  /// A registry that another party runs can confirm blobs that it does not have.
  ///
  /// @return false where there is no such blob, or it is not for these credentials
  /// @throws SourceUnavailableException where the store gives no answer
  boolean has(Descriptor blob) throws IOException;
}
