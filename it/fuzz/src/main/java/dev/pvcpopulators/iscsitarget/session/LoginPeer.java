package dev.pvcpopulators.iscsitarget.session;

import static dev.pvcpopulators.iscsitarget.session.AnswerCheck.ensure;

import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// An initiator that makes its login requests from the fuzzer's bytes. The initiator knows
/// [KnownAccess#SECRET]. If a request contains `CHAP_R=@`, the initiator replaces the `@` by the
/// right response.
///
/// A PDU is acceptable if it is a Login Request without additional header segments and with at most
/// 8,192 bytes of text. Each acceptable PDU must get one valid response. A PDU that is not
/// acceptable must get no response.
final class LoginPeer implements MemorySocket.Peer {
  private static final int MOST_TEXT = 8192;
  private static final int FIRST_NUMBER = 5;
  private static final List<String> DIGESTS = List.of("MD5", "SHA-1", "SHA-256", "SHA3-256");
  private static final String PLACE = "CHAP_R=@";
  private static final ByteBuffer END = ByteBuffer.allocate(0);

  private final ByteBuffer input;
  private String told = "";
  private int tag;
  private boolean waits;
  private boolean over;
  private int statSn;
  private boolean proved;

  LoginPeer(ByteBuffer input) {
    this.input = input;
  }

  /// Returns whether this initiator has sent the right response to a challenge.
  boolean proved() {
    return proved;
  }

  /// Returns whether this initiator waits for a response.
  boolean waits() {
    return waits;
  }

  @Override
  public ByteBuffer next() {
    ensure(!waits, "A request without a response");
    if (input.remaining() < PduFormat.BHS_LENGTH) {
      return END;
    }
    byte[] bytes = new byte[PduFormat.BHS_LENGTH];
    input.get(bytes);
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int length = Math.min(PduFormat.dataSegmentLength(header), input.remaining());
    byte[] given = new byte[length];
    input.get(given);
    byte[] text = prove(given);
    header.putInt(4, header.get(4) << 24 | text.length);
    tag = PduFormat.initiatorTaskTag(header);
    waits = legal(header, text);
    return ByteBuffer.allocate(PduFormat.BHS_LENGTH + PduFormat.padded(text.length))
        .put(bytes)
        .put(text)
        .clear();
  }

  private static boolean legal(ByteBuffer header, byte[] text) {
    return PduFormat.opcode(header) == Opcode.LOGIN_REQUEST
        && PduFormat.totalAhsLength(header) == 0
        && text.length <= MOST_TEXT;
  }

  private byte[] prove(byte[] text) {
    String said = new String(text, StandardCharsets.ISO_8859_1);
    String right = rightResponse();
    if (right == null) {
      return text;
    }
    String complete = said.replace(PLACE, "CHAP_R=" + right);
    proved |= complete.toLowerCase(Locale.ROOT).contains(right);
    return complete.getBytes(StandardCharsets.ISO_8859_1);
  }

  /// Returns the right response to the last challenge; null if there was no challenge.
  private @Nullable String rightResponse() {
    String number = value("CHAP_A");
    String identifier = value("CHAP_I");
    String challenge = value("CHAP_C");
    if (number == null || identifier == null || challenge == null) {
      return null;
    }
    try {
      MessageDigest digest =
          MessageDigest.getInstance(DIGESTS.get(Integer.parseInt(number) - FIRST_NUMBER));
      digest.update((byte) Integer.parseInt(identifier));
      digest.update(KnownAccess.SECRET.getBytes(StandardCharsets.UTF_8));
      byte[] response = digest.digest(HexFormat.of().parseHex(challenge.substring(2)));
      return "0x" + HexFormat.of().formatHex(response);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private @Nullable String value(String key) {
    int at = told.lastIndexOf("\0" + key + "=");
    int from = at + key.length() + 2;
    return at < 0 ? null : told.substring(from, told.indexOf('\0', from));
  }

  /// Checks a response.
  ///
  /// @param pdu the whole PDU of the target
  void answered(ByteBuffer pdu) {
    ByteBuffer header = pdu.slice(0, PduFormat.BHS_LENGTH);
    int length = PduFormat.dataSegmentLength(header);
    ensure(waits && !over, "A response without a request");
    ensure(PduFormat.opcode(header) == Opcode.LOGIN_RESPONSE, "No Login Response");
    ensure(PduFormat.initiatorTaskTag(header) == tag, "A response to another request");
    ensure(length <= MOST_TEXT, "A text of " + length + " bytes");
    ensure(
        pdu.remaining() == PduFormat.BHS_LENGTH + PduFormat.padded(length),
        "A PDU of " + pdu.remaining() + " bytes with a text of " + length);
    ensure(header.getInt(24) == statSn++, "StatSN " + header.getInt(24));
    boolean failed = header.getShort(36) != 0;
    boolean transits = header.get(1) < 0;
    ensure(!failed || (length == 0 && !transits), "A failure that does not end the login");
    over = failed || (transits && (header.get(1) & 3) == 3);
    ensure(over || header.getShort(14) == 0, "A TSIH before the end of the login");
    ensure(header.get(1) >= 0 || (header.get(1) & 0x40) == 0, "Both T and C are set");
    told += "\0" + StandardCharsets.ISO_8859_1.decode(pdu.slice(PduFormat.BHS_LENGTH, length));
    waits = false;
  }
}
