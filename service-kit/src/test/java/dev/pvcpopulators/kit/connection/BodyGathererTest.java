package dev.pvcpopulators.kit.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BodyGathererTest {
  private static final int RECORD = 16 << 10;

  private final EmbeddedChannel channel = new EmbeddedChannel(new BodyGatherer());
  private final Random random = new Random(4);

  @BeforeEach
  @AfterEach
  void forgetArrays() {
    BodyArrays.clear();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static ByteBuf pooled(byte[] bytes) {
    return PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes);
  }

  /// Passes content to the handler as a decoder does, and checks that the handler releases the
  /// buffer.
  private void read(byte[] content) {
    ByteBuf buffer = pooled(content);
    channel.pipeline().fireChannelRead(new DefaultHttpContent(buffer));
    assertEquals(0, buffer.refCnt());
  }

  private byte[] next() {
    HttpContent content = Objects.requireNonNull(channel.<HttpContent>readInbound());
    byte[] bytes = new byte[content.content().readableBytes()];
    content.content().readBytes(bytes);
    return bytes;
  }

  @Test
  void passesTheContentsOfOneReadAsOne() {
    byte[] all = bytes(4 * RECORD - 1);
    for (int at = 0; at < all.length; at += RECORD) {
      read(Arrays.copyOfRange(all, at, Math.min(all.length, at + RECORD)));
    }
    assertNull(channel.readInbound());
    channel.pipeline().fireChannelReadComplete();
    assertArrayEquals(all, next());
    assertNull(channel.readInbound());
    channel.pipeline().fireChannelReadComplete();
    assertNull(channel.readInbound());
  }

  @Test
  void passesAFullArrayAtOnce() {
    byte[] all = bytes(2 * BodyArrays.LENGTH + RECORD);
    read(all);
    assertArrayEquals(Arrays.copyOf(all, BodyArrays.LENGTH), next());
    assertArrayEquals(Arrays.copyOfRange(all, BodyArrays.LENGTH, 2 * BodyArrays.LENGTH), next());
    assertNull(channel.readInbound());
    channel.pipeline().fireChannelReadComplete();
    assertArrayEquals(Arrays.copyOfRange(all, 2 * BodyArrays.LENGTH, all.length), next());
  }

  @Test
  void takesNoArrayForFewBytes() {
    for (int length : new int[] {1, BodyArrays.LENGTH / 2 - 1, BodyArrays.LENGTH / 2}) {
      read(bytes(length));
      channel.pipeline().fireChannelReadComplete();
      HttpContent content = Objects.requireNonNull(channel.<HttpContent>readInbound());
      int expected = length < BodyArrays.LENGTH / 2 ? length : BodyArrays.LENGTH;
      assertEquals(expected, content.content().array().length);
      assertEquals(length, content.content().readableBytes());
    }
  }

  @Test
  void keepsTheOrderOfMessages() {
    byte[] first = bytes(RECORD);
    read(first);
    LastHttpContent last = new DefaultLastHttpContent(Unpooled.wrappedBuffer(bytes(3)));
    channel.pipeline().fireChannelRead(last);
    assertArrayEquals(first, next());
    assertSame(last, channel.readInbound());
  }

  @Test
  void passesUnreadableContentOn() {
    read(bytes(RECORD));
    HttpContent broken = new DefaultHttpContent(Unpooled.EMPTY_BUFFER);
    broken.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("chunk size")));
    channel.pipeline().fireChannelRead(broken);
    assertEquals(RECORD, next().length);
    assertSame(broken, channel.readInbound());
  }

  @Test
  void losesNothingWhenTheConnectionEnds() {
    byte[] first = bytes(RECORD);
    read(first);
    channel.pipeline().fireChannelInactive();
    assertArrayEquals(first, next());
  }

  @Test
  void losesNothingBeforeAnError() {
    byte[] first = bytes(RECORD);
    read(first);
    channel.pipeline().fireExceptionCaught(new IOException("reset"));
    assertArrayEquals(first, next());
    assertInstanceOf(IOException.class, assertThrows(Exception.class, channel::checkException));
  }

  @Test
  void usesArraysAgain() {
    byte[] content = bytes(BodyArrays.LENGTH);
    read(content);
    byte[] array = Objects.requireNonNull(channel.<HttpContent>readInbound()).content().array();
    read(content);
    byte[] other = Objects.requireNonNull(channel.<HttpContent>readInbound()).content().array();
    assertNotSame(array, other);
    BodyArrays.giveBack(array);
    read(content);
    assertSame(array, Objects.requireNonNull(channel.<HttpContent>readInbound()).content().array());
  }

  @Test
  void keepsNoArrayOfAnotherLength() {
    byte[] other = new byte[BodyArrays.LENGTH - 1];
    BodyArrays.giveBack(other);
    assertNotSame(other, BodyArrays.take());
    assertFalse(channel.finish());
  }
}
