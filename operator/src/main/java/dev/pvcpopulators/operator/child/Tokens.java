package dev.pvcpopulators.operator.child;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tokens of the Jobs, made from the operator's key and the claim: the same after a restart, so
/// that no Secret is ever read.
public final class Tokens {
  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] key;

  /// @param key at least 16 bytes that nobody else knows
  public Tokens(byte[] key) {
    if (key.length < 16) {
      throw new IllegalArgumentException(
          "The operator's key has " + key.length + " bytes, expected 16 or more");
    }
    this.key = key.clone();
  }

  /// The token with which a client uploads, and reads the status.
  public String upload(PersistentVolumeClaim claim) {
    return of("upload", claim);
  }

  /// The token with which the status of a Job is read; it permits nothing else.
  public String status(PersistentVolumeClaim claim) {
    return of("status", claim);
  }

  private String of(String purpose, PersistentVolumeClaim claim) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      String text = purpose + ":" + claim.getMetadata().getUid();
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
    }
  }
}
