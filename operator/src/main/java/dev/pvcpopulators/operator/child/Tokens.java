package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Derives each token from the operator's key, the purpose of the token, and the UID of a claim or
/// dynamic volume. With the same key, tokens are the same after a restart of the operator, so the
/// operator does not have to read the tokens from Secrets.
public final class Tokens {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int CHAP_BYTES = 12;

  private final byte[] key;

  /// Creates an object that derives tokens from a key.
  ///
  /// @param key at least 16 secret bytes, which are copied
  /// @throws IllegalArgumentException if the key has fewer bytes
  public Tokens(byte[] key) {
    if (key.length < 16) {
      throw new IllegalArgumentException(
          "The operator's key has " + key.length + " bytes, expected 16 or more");
    }
    this.key = key.clone();
  }

  /// Returns the token with which a client uploads a disk and reads the status of the upload.
  public String upload(PersistentVolumeClaim claim) {
    return of("upload", claim);
  }

  /// Returns the token that permits reading the status of a Job, and nothing else.
  public String status(PersistentVolumeClaim claim) {
    return of("status", claim);
  }

  /// Returns the token with which a dynamic volume is created, read and removed.
  public String volume(DynamicVolume volume) {
    return of("volume", volume);
  }

  /// Returns the CHAP password for initiators of a stream.
  public String chap(DynamicVolume stream) {
    // The password has 16 characters, because some initiators accept no more.
    byte[] mac = HexFormat.of().parseHex(of("chap", stream));
    return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(mac, CHAP_BYTES));
  }

  private String of(String purpose, HasMetadata owner) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      String text = purpose + ":" + owner.getMetadata().getUid();
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
    }
  }
}
