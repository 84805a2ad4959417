package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.NegotiationLimits;
import dev.pvcpopulators.iscsitarget.wire.PduInput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The input and output buffers of a connection in full-feature phase. The buffers of normal
/// sessions are reused for later connections, because the JVM frees direct memory late. Used by one
/// connection at a time; not thread-safe.
final class SessionBuffers implements PduInput.Buffers {
  private static final int SMALL = 16 * 1024;

  private final ByteBuffer input;
  private final ByteBuffer output;
  private final int longestSegment;
  private @Nullable ByteBuffer large;

  private SessionBuffers(ByteBuffer input, ByteBuffer output, int longestSegment) {
    this.input = input;
    this.output = output;
    this.longestSegment = longestSegment;
  }

  /// Creates the buffers of a normal session.
  ///
  /// @param sessions the maximum number of normal sessions
  static SessionBuffers normal(int sessions) {
    return new SessionBuffers(
        ByteBuffer.allocateDirect(SessionLimits.INPUT_BUFFER),
        ByteBuffer.allocateDirect(SessionLimits.outputBuffer(sessions)),
        SessionLimits.receivedSegment(sessions));
  }

  /// Creates the buffers of a discovery session: small and on the heap; they are not reused.
  static SessionBuffers discovery() {
    return new SessionBuffers(
        ByteBuffer.allocate(SMALL),
        ByteBuffer.allocate(SMALL),
        NegotiationLimits.DISCOVERY_SEGMENT);
  }

  @Override
  public ByteBuffer buffer() {
    ByteBuffer larger = large;
    return larger == null ? input : larger;
  }

  @Override
  public ByteBuffer larger() {
    ByteBuffer larger = large;
    if (larger == null) {
      larger = ByteBuffer.allocateDirect(SessionLimits.LARGE_INPUT_BUFFER);
      large = larger;
    }
    return larger;
  }

  @Override
  public int longestSegment() {
    return longestSegment;
  }

  ByteBuffer output() {
    return output;
  }
}
