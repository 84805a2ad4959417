package dev.pvcpopulators.registry;

import dev.pvcpopulators.http.SourceNotFoundException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/// A store that answers each request with the next document of its list. The store does not compare
/// digests, because a fuzzer cannot compute the digest of a document.
final class SpokenStore implements BlobStore {
  private static final Digest ANY = Digest.of(Digest.Algorithm.SHA256, new byte[0]);

  private final Queue<byte[]> documents = new ArrayDeque<>();
  private final String mediaType;

  /// Creates a store.
  ///
  /// @param data documents, separated by NUL
  /// @param mediaType the media type of the first document
  SpokenStore(byte[] data, String mediaType) {
    this.mediaType = mediaType;
    int from = 0;
    for (int i = 0; i <= data.length; i++) {
      if (i == data.length || data[i] == 0) {
        documents.add(Arrays.copyOfRange(data, from, i));
        from = i + 1;
      }
    }
  }

  private byte[] next() throws SourceNotFoundException {
    byte[] document = documents.poll();
    if (document == null) {
      throw new SourceNotFoundException("Cannot find another document");
    }
    return document;
  }

  @Override
  public RawManifest root() throws IOException {
    return RawManifest.parse(mediaType, ANY, next());
  }

  @Override
  public RawManifest manifest(Descriptor descriptor) throws IOException {
    return RawManifest.parse(descriptor.mediaType(), descriptor.digest(), next());
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener)
      throws SourceNotFoundException {
    return new ByteArrayInputStream(next());
  }

  @Override
  public InputStream range(Descriptor blob, long offset, long length) {
    throw new UnsupportedOperationException("Parts are not read here");
  }

  @Override
  public InputStream rest(Descriptor blob, long offset) {
    throw new UnsupportedOperationException("Blobs are not continued here");
  }

  @Override
  public boolean has(Descriptor blob) {
    throw new UnsupportedOperationException(
        "The fuzzed code does not ask for the presence of blobs");
  }

  @Override
  public void close() {}
}
