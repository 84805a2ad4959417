package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.TransferListener;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A store whose blobs are in memory or are generated while they are read. A blob is verified at
/// its end, as in a real store.
final class FakeStore implements BlobStore {
  static final String TAR = "application/vnd.oci.image.layer.v1.tar";
  static final String TAR_GZIP = TAR + "+gzip";

  private final Map<Digest, Blob> blobs = new HashMap<>();
  final List<Descriptor> pulled = new ArrayList<>();

  /// The source of a blob's bytes.
  @FunctionalInterface
  interface Blob {
    InputStream open() throws IOException;
  }

  Descriptor add(String mediaType, byte[] content) {
    return add(mediaType, content, Map.of());
  }

  Descriptor add(String mediaType, byte[] content, Map<String, String> annotations) {
    Digest digest = Digest.of(Digest.Algorithm.SHA256, content);
    blobs.put(digest, () -> new ByteArrayInputStream(content));
    return new Descriptor(mediaType, digest, content.length, annotations);
  }

  /// Adds a blob with a digest that is never verified.
  Descriptor add(String mediaType, long size, Blob content) {
    byte[] name = {(byte) blobs.size(), 42};
    Digest digest = Digest.of(Digest.Algorithm.SHA512, name);
    blobs.put(digest, content);
    return new Descriptor(mediaType, digest, size, Map.of());
  }

  /// Replaces a blob's bytes under the same digest.
  void replace(Descriptor descriptor, byte[] content) {
    blobs.put(descriptor.digest(), () -> new ByteArrayInputStream(content));
  }

  /// Returns an image.
  ///
  /// @param layers from the bottom up
  static Image image(Descriptor... layers) {
    return image(true, layers);
  }

  static Image image(boolean config, Descriptor... layers) {
    Digest digest = Digest.of(Digest.Algorithm.SHA256, new byte[0]);
    Descriptor configDescriptor =
        new Descriptor("application/vnd.oci.empty.v1+json", digest, 2, Map.of());
    ImageConfig imageConfig =
        new ImageConfig(
            new Platform("linux", "amd64", ""),
            List.of(),
            List.of(),
            Map.of(),
            List.of(),
            List.of(),
            "",
            "",
            List.of(),
            List.of(),
            "");
    return new Image(
        "test:image",
        digest,
        Optional.empty(),
        new Manifest("", "", configDescriptor, List.of(layers), Map.of()),
        config ? Optional.of(imageConfig) : Optional.empty());
  }

  @Override
  public RawManifest root() {
    throw new UnsupportedOperationException();
  }

  @Override
  public RawManifest manifest(Descriptor descriptor) {
    throw new UnsupportedOperationException();
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    pulled.add(descriptor);
    Blob blob = blobs.get(descriptor.digest());
    if (blob == null) {
      throw new AssertionError("Unexpected request for " + descriptor);
    }
    return new Verified(blob.open(), descriptor, listener);
  }

  @Override
  public InputStream range(Descriptor blob, long offset, long length) throws IOException {
    RegistryLimits.requireRange(blob, offset, length);
    Blob content = blobs.get(blob.digest());
    if (content == null) {
      throw new AssertionError("Unexpected request for " + blob);
    }
    try (InputStream stream = content.open()) {
      stream.skipNBytes(offset);
      return new ByteArrayInputStream(stream.readNBytes((int) length));
    }
  }

  @Override
  public InputStream rest(Descriptor blob, long offset) throws IOException {
    Blob content = blobs.get(blob.digest());
    if (content == null) {
      throw new AssertionError("No blob " + blob);
    }
    InputStream stream = content.open();
    stream.skipNBytes(offset);
    return stream;
  }

  @Override
  public boolean has(Descriptor blob) {
    return blobs.containsKey(blob.digest());
  }

  @Override
  public void close() {}

  private static final class Verified extends InputStream {
    private final DigestInputStream content;
    private final Descriptor descriptor;
    private final TransferListener listener;
    private long count;
    private boolean ended;

    Verified(InputStream content, Descriptor descriptor, TransferListener listener) {
      this.content = new DigestInputStream(content, sha256());
      this.descriptor = descriptor;
      this.listener = listener;
    }

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int given = content.read(target, offset, length);
      if (given > 0) {
        count += given;
        listener.received(given);
      } else if (!ended && descriptor.digest().algorithm() == Digest.Algorithm.SHA256) {
        ended = true;
        String found = HexFormat.of().formatHex(content.getMessageDigest().digest());
        if (!found.equals(descriptor.digest().hex()) || count != descriptor.size()) {
          throw new DigestMismatchException("expected " + descriptor + ", found " + found);
        }
      }
      return given;
    }

    @Override
    public void close() throws IOException {
      content.close();
    }
  }
}
