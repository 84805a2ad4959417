package dev.pvcpopulators.it.operator;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/// The server's side of a WebSocket (RFC 6455) with the subprotocol `v4.channel.k8s.io`. The first
/// byte of a binary message is the number of a channel. [#close] closes the connection.
final class ChannelFrames implements AutoCloseable {
  static final int DATA = 0;
  static final int ERROR = 1;

  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int FINAL_BINARY = 0x82;
  private static final int FINAL = 0x80;
  private static final int CONTINUATION = 0x0;
  private static final int CLOSE = 0x8;
  private static final int OPCODE = 0xf;
  private static final int LENGTH = 0x7f;
  private static final int TWO_BYTES = 126;
  private static final int EIGHT_BYTES = 127;
  private static final int MOST = 1 << 20;

  private final DataInputStream in;
  private final DataOutputStream out;

  ChannelFrames(InputStream in, OutputStream out) {
    this.in = new DataInputStream(in);
    this.out = new DataOutputStream(out);
  }

  /// Returns the value of `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`.
  static String accept(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1")
              .digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-1", e);
    }
  }

  synchronized void send(int channel, byte[] bytes, int count) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream header = new DataOutputStream(frame);
    int length = count + 1;
    header.writeByte(FINAL_BINARY);
    if (length < TWO_BYTES) {
      header.writeByte(length);
    } else {
      header.writeByte(TWO_BYTES);
      header.writeShort(length);
    }
    header.writeByte(channel);
    header.write(bytes, 0, count);
    out.write(frame.toByteArray());
    out.flush();
  }

  /// Writes the client's data to a stream, without the bytes that contain the channel's number. The
  /// method ends when the client closes the WebSocket.
  void receive(OutputStream pod) throws IOException {
    boolean begins = true;
    while (true) {
      int first = in.readUnsignedByte();
      byte[] payload = payload(in.readUnsignedByte() & LENGTH);
      int opcode = first & OPCODE;
      if (opcode == CLOSE) {
        return;
      }
      if (opcode > CLOSE) {
        continue; // This fake answers no pings. Pongs need no answer.
      }
      int skipped = begins && opcode != CONTINUATION ? 1 : 0;
      pod.write(payload, skipped, payload.length - skipped);
      pod.flush();
      begins = (first & FINAL) != 0;
    }
  }

  private byte[] payload(int given) throws IOException {
    long length =
        switch (given) {
          case TWO_BYTES -> in.readUnsignedShort();
          case EIGHT_BYTES -> in.readLong();
          default -> given;
        };
    if (length < 0 || length > MOST) {
      throw new IOException("a frame of " + length + " bytes");
    }
    byte[] mask = in.readNBytes(Integer.BYTES);
    byte[] payload = new byte[(int) length];
    in.readFully(payload);
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i % mask.length];
    }
    return payload;
  }

  @Override
  public void close() throws IOException {
    out.close();
    in.close();
  }
}
