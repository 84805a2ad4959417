package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests Data-In, Data-Out and R2T against a model in memory. LUN 0 is in a file, LUN 1 is in
/// memory, LUN 2 is in a file that is never written, and LUN 3 is an overlay over LUN 2.
class DataTransferTest {
  private static final int DISK = 4 * 1024 * 1024;
  private static final int BLOCKS = DISK / 512;
  private static final int GOOD = 0x00;
  private static final int CHECK_CONDITION = 0x02;
  private static final String LONG_SEGMENTS = "MaxRecvDataSegmentLength=262144";
  private static final int[] OVERLAY_BLOCKS = {150, 151, 400, 1023};
  private static final int WRITE_10 = 0x2A;

  @TempDir Path directory;
  private byte[] model = new byte[0];
  private FileServer server;
  private MemoryMedium memory;

  @BeforeEach
  void serve() throws IOException {
    memory = new MemoryMedium(DISK, 42);
    model = memory.bytes().clone();
    Path file = Files.write(directory.resolve("disk"), model);
    Medium disk = FileMedium.open(file, true);
    Path fixed = Files.write(directory.resolve("fixed"), model);
    Medium unchanging = FileMedium.open(fixed, false);
    OverlayMedium overlay =
        OverlayMedium.open(
            unchanging, "fixed", DiskFiles.in(directory, "overlay"), CopyMode.COPY_ON_WRITE);
    for (int block : OVERLAY_BLOCKS) {
      overlay.write(block * 4096L, ByteBuffer.wrap(model, block * 4096, 4096));
    }
    server = new FileServer(FileServer.loopback(), disk, memory, unchanging, overlay);
  }

  @AfterEach
  void end() {
    server.close();
  }

  private RawInitiator login(String... keys) throws IOException {
    RawInitiator initiator = RawInitiator.connect(server.portal());
    initiator.login("iqn.2026-01.test:a", FileServer.TARGET, keys);
    initiator.clearAttentions(0);
    initiator.clearAttentions(1);
    initiator.clearAttentions(2);
    initiator.clearAttentions(3);
    return initiator;
  }

  @ParameterizedTest
  @CsvSource({
    "None, None, 262144, 1048576",
    "CRC32C, None, 262144, 1048576",
    "None, CRC32C, 8192, 65536",
    "CRC32C, CRC32C, 262144, 262144",
    "CRC32C, CRC32C, 512, 512",
    "None, None, 1000, 1500",
    "None, None, 65536, 98304"
  })
  void readsAnyRange(String headerDigest, String dataDigest, int segment, int burst)
      throws IOException {
    long seed = segment * 31L + burst;
    Random random = new Random(seed);
    try (RawInitiator initiator =
        login(
            "HeaderDigest=" + headerDigest,
            "DataDigest=" + dataDigest,
            "MaxRecvDataSegmentLength=" + segment,
            "MaxBurstLength=" + burst)) {
      for (int i = 0; i < 24; i++) {
        int blocks = i == 0 ? 1 : 1 + random.nextInt(i < 16 ? 300 : 3000);
        int lba = random.nextInt(BLOCKS - blocks);
        List<RawPdu> pdus = initiator.answer(initiator.read10(i % 4, lba, blocks));
        assertReads(pdus, lba, blocks, segment, burst, "seed " + seed);
      }
    }
  }

  private void assertReads(
      List<RawPdu> pdus, int lba, int blocks, int segment, int burst, String message) {
    int offset = 0;
    int inBurst = 0;
    int dataSn = 0;
    for (RawPdu pdu : pdus) {
      if (pdu.opcode() == RawPdu.DATA_IN) {
        assertEquals(offset, pdu.intAt(40), message);
        assertEquals(dataSn++, pdu.intAt(36), message);
        assertTrue(pdu.data().length <= segment, message);
        offset += pdu.data().length;
        inBurst += pdu.data().length;
        boolean last = offset == blocks * 512;
        assertEquals(inBurst == burst || last, (pdu.flags() & RawPdu.FINAL) != 0, message);
        inBurst = (pdu.flags() & RawPdu.FINAL) != 0 ? 0 : inBurst;
      }
    }
    RawPdu last = pdus.getLast();
    assertEquals(GOOD, last.byteAt(3), message);
    assertEquals(0, last.intAt(44), message);
    assertEquals(0, last.flags() & 0x06, message);
    byte[] expected = Arrays.copyOfRange(model, lba * 512, (lba + blocks) * 512);
    assertArrayEquals(expected, RawInitiator.data(pdus, blocks * 512), message);
  }

  @Test
  void answersSmallReadsWithOnePduEach() throws IOException {
    try (RawInitiator initiator = login()) {
      Set<Integer> commands = new HashSet<>();
      for (int i = 0; i < 32; i++) {
        RawPdu command = initiator.read10(0, 8 * i, 8);
        commands.add(command.tag());
        initiator.send(command);
      }
      int statSn = 0;
      for (int i = 0; i < 32; i++) {
        RawPdu answer = initiator.receive();
        assertEquals(RawPdu.DATA_IN, answer.opcode());
        // Answers may arrive in any order. On a loaded machine, the target may classify reads as
        // slow and run them concurrently.
        assertTrue(commands.remove(answer.tag()));
        assertEquals(0x81, answer.flags());
        assertTrue(i == 0 || answer.intAt(24) == statSn + 1);
        statSn = answer.intAt(24);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // InitialR2T, ImmediateData, FirstBurstLength, MaxBurstLength, longest Data-Out, digests
    "No, Yes, 262144, 1048576, 262144, None",
    "No, Yes, 65536, 262144, 8192, CRC32C",
    "No, No, 65536, 131072, 4096, None",
    "Yes, Yes, 65536, 65536, 20000, None",
    "Yes, No, 512, 512, 512, CRC32C",
    "Yes, No, 65536, 1048576, 65536, None"
  })
  void writesByEveryWayOfTransfer(
      String initialR2t, String immediate, int first, int burst, int segment, String digest)
      throws IOException {
    long seed = first + 7L * burst + segment;
    Random random = new Random(seed);
    try (RawInitiator initiator =
        login(
            "InitialR2T=" + initialR2t,
            "ImmediateData=" + immediate,
            "FirstBurstLength=" + first,
            "MaxBurstLength=" + burst,
            "HeaderDigest=" + digest,
            "DataDigest=" + digest)) {
      for (int i = 0; i < 10; i++) {
        int blocks = i == 0 ? 1 : 1 + random.nextInt(i < 7 ? 100 : 2000);
        int lba = random.nextInt(BLOCKS - blocks);
        byte[] data = new byte[blocks * 512];
        random.nextBytes(data);
        int inCommand =
            immediate.equals("Yes") ? Math.min(Math.min(first, segment), data.length) : 0;
        int unsolicited = initialR2t.equals("No") ? Math.min(first, data.length) : inCommand;
        write(initiator, i % 2, lba, data, inCommand, unsolicited, segment, "seed " + seed);
        System.arraycopy(data, 0, model, lba * 512, data.length);
      }
      List<RawPdu> all = initiator.answer(initiator.read10(0, 0, 4000));
      byte[] disk = RawInitiator.data(all, 4000 * 512);
      List<RawPdu> other = initiator.answer(initiator.read10(1, 0, 4000));
      byte[] second = RawInitiator.data(other, 4000 * 512);
      for (int i = 0; i < disk.length; i++) {
        assertTrue(disk[i] == model[i] || second[i] == model[i], "byte " + i + ", seed " + seed);
      }
    }
  }

  /// Writes according to RFC 7143: immediate data, then unsolicited data, then the data that R2Ts
  /// request.
  private static void write(
      RawInitiator initiator,
      int lun,
      int lba,
      byte[] data,
      int inCommand,
      int unsolicited,
      int segment,
      String message)
      throws IOException {
    RawPdu command =
        initiator.write10(lun, lba, data.length / 512).withData(Arrays.copyOf(data, inCommand));
    if (unsolicited > inCommand) {
      command.withByte(1, command.flags() & ~RawPdu.FINAL);
    }
    initiator.send(command);
    sendSequence(initiator, command, RawPdu.NO_TAG, data, inCommand, unsolicited, segment);
    int r2tSn = 0;
    while (true) {
      RawPdu pdu = initiator.receive();
      if (pdu.opcode() == RawPdu.SCSI_RESPONSE) {
        assertEquals(GOOD, pdu.byteAt(3), message);
        assertEquals(0, pdu.flags() & 0x06, message);
        assertEquals(r2tSn, pdu.intAt(36), message);
        break;
      }
      assertEquals(RawPdu.R2T, pdu.opcode(), message);
      assertEquals(r2tSn++, pdu.intAt(36), message);
      int offset = pdu.intAt(40);
      sendSequence(
          initiator, command, pdu.intAt(20), data, offset, offset + pdu.intAt(44), segment);
    }
  }

  private static void sendSequence(
      RawInitiator initiator,
      RawPdu command,
      int transferTag,
      byte[] data,
      int from,
      int to,
      int segment)
      throws IOException {
    int dataSn = 0;
    for (int at = from; at < to; at += segment) {
      byte[] part = Arrays.copyOfRange(data, at, Math.min(to, at + segment));
      initiator.send(
          initiator.dataOut(command, transferTag, dataSn++, at, part, at + segment >= to));
    }
  }

  @Test
  void unsolicitedDataMayEndEarly() throws IOException {
    try (RawInitiator initiator = login("InitialR2T=No", "ImmediateData=No")) {
      byte[] data = new byte[16 * 512];
      Arrays.fill(data, (byte) 7);
      write(initiator, 1, 100, data, 0, 512, 512, "early end");
      assertArrayEquals(data, Arrays.copyOfRange(memory.bytes(), 100 * 512, 116 * 512));
    }
  }

  @ParameterizedTest
  @CsvSource({
    // DataSN, offset, length, whether the PDU has the transfer tag of the R2T
    "1, 0, 1024, true",
    "0, 512, 512, true",
    "0, 0, 512, true",
    "0, 0, 1536, true",
    "0, 0, 1024, false"
  })
  void endsAWriteWhoseDataIsWrong(int dataSn, int offset, int length, boolean tag)
      throws IOException {
    try (RawInitiator initiator = login("InitialR2T=Yes", "ImmediateData=No")) {
      RawPdu command = initiator.write10(1, 10, 2);
      initiator.send(command);
      RawPdu r2t = initiator.receive();
      int transferTag = tag ? r2t.intAt(20) : r2t.intAt(20) + 1;
      initiator.send(
          initiator.dataOut(command, transferTag, dataSn, offset, new byte[length], true));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(0x04, reject.byteAt(2));
      RawPdu response = initiator.receive();
      assertEquals(command.tag(), response.tag());
      assertEquals(CHECK_CONDITION, response.byteAt(3));
      assertEquals(0x0B, response.data()[4] & 0x0F);
      assertArrayEquals(
          Arrays.copyOfRange(model, 5120, 6144), Arrays.copyOfRange(memory.bytes(), 5120, 6144));
      assertEquals(
          GOOD, initiator.answer(initiator.read10(1, 0, 1)).getLast().byteAt(3), "it goes on");
    }
  }

  /// The target must not respond to the write before it receives the Data-Out PDU whose F bit ends
  /// the sequence (RFC 7143, section 11.4.2).
  @Test
  void aWriteThatFailsAtOnceIsAnsweredWhenItsUnsolicitedDataHasCome() throws IOException {
    try (RawInitiator initiator = login("InitialR2T=No", "FirstBurstLength=65536")) {
      RawPdu beyond = initiator.write10(1, BLOCKS, 4).withByte(1, RawPdu.WRITE | RawPdu.SIMPLE);
      initiator.send(beyond);
      initiator.send(initiator.dataOut(beyond, RawPdu.NO_TAG, 0, 0, new byte[1024], false));
      assertEquals(GOOD, initiator.answer(initiator.read10(1, 0, 1)).getLast().byteAt(3));
      initiator.send(initiator.dataOut(beyond, RawPdu.NO_TAG, 1, 1024, new byte[1024], true));
      RawPdu response = initiator.receive();
      assertEquals(beyond.tag(), response.tag());
      assertEquals(CHECK_CONDITION, response.byteAt(3));
      assertEquals(0x21, response.data()[14], "LOGICAL BLOCK ADDRESS OUT OF RANGE");
    }
  }

  @Test
  void dataOnItsWayToAnAbortedTaskIsDropped() throws IOException {
    try (RawInitiator initiator = login("InitialR2T=Yes", "ImmediateData=No")) {
      RawPdu write = initiator.write10(1, 10, 2);
      initiator.send(write);
      RawPdu r2t = initiator.receive();
      initiator.send(
          RawPdu.of(RawPdu.IMMEDIATE | RawPdu.TASK_MANAGEMENT, RawPdu.FINAL | 1)
              .withTag(initiator.tag())
              .with(20, write.tag()));
      initiator.send(initiator.dataOut(write, r2t.intAt(20), 0, 0, new byte[512], false));
      initiator.send(initiator.dataOut(write, r2t.intAt(20), 1, 512, new byte[512], true));
      assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, initiator.receive().opcode());
      RawPdu next = initiator.read10(1, 0, 1);
      initiator.send(next);
      assertEquals(next.tag(), initiator.receive().tag(), "no reject before it");
      assertArrayEquals(
          Arrays.copyOfRange(model, 5120, 6144), Arrays.copyOfRange(memory.bytes(), 5120, 6144));
    }
  }

  @Test
  void dropsDataForACommandThatHasEnded() throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu ended = initiator.write10(1, 0, new byte[512]);
      assertEquals(GOOD, initiator.answer(ended).getLast().byteAt(3));
      initiator.send(initiator.dataOut(ended, 5, 0, 0, new byte[512], true));
      initiator.send(initiator.dataOut(ended, RawPdu.NO_TAG, 0, 512, new byte[512], true));
      assertEquals(GOOD, initiator.answer(initiator.read10(1, 0, 1)).getLast().byteAt(3));
    }
  }

  @ParameterizedTest
  @CsvSource({
    // expected bytes, flags in the answer, residual count
    "1024, 0, 0",
    "2048, 2, 1024",
    "512, 4, 512",
    "0, 4, 1024"
  })
  void tellsTheResidualOfARead(int expected, int flag, int residual) throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu command = initiator.read10(1, 3, 2).with(20, expected);
      List<RawPdu> pdus = initiator.answer(command);
      RawPdu last = pdus.getLast();
      assertEquals(GOOD, last.byteAt(3));
      assertEquals(flag, last.flags() & 0x06);
      assertEquals(residual, last.intAt(44));
      int length = Math.min(expected, 1024);
      assertArrayEquals(
          Arrays.copyOfRange(model, 3 * 512, 3 * 512 + length), RawInitiator.data(pdus, length));
    }
  }

  @ParameterizedTest
  @CsvSource({"1024, 0, 0", "2048, 2, 1024", "512, 4, 512", "0, 4, 1024"})
  void tellsTheResidualOfAWrite(int expected, int flag, int residual) throws IOException {
    try (RawInitiator initiator = login()) {
      byte[] data = new byte[expected];
      Arrays.fill(data, (byte) 9);
      RawPdu command = initiator.write10(1, 3, 2).with(20, expected).withData(data);
      RawPdu last = initiator.answer(command).getLast();
      assertEquals(GOOD, last.byteAt(3));
      assertEquals(flag, last.flags() & 0x06);
      assertEquals(residual, last.intAt(44));
      byte[] after = model.clone();
      Arrays.fill(after, 3 * 512, 3 * 512 + Math.min(expected, 1024), (byte) 9);
      assertArrayEquals(after, memory.bytes());
    }
  }

  /// If a command transfers no data, its residual count is the expected length (RFC 7143, section
  /// 11.4.5). This also holds if the PDU announces a read but the command is a write.
  @Test
  void aCommandWithNothingToWriteHasReadNothing() throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu nothing = initiator.read10(1, 3, 0).with(20, 4096).withByte(32, WRITE_10);
      RawPdu last = initiator.answer(nothing).getLast();
      assertEquals(GOOD, last.byteAt(3));
      assertEquals(2, last.flags() & 0x06);
      assertEquals(4096, last.intAt(44));
    }
  }

  @Test
  void aReadThatFailsMidwayEndsWithItsSense() throws IOException {
    try (RawInitiator initiator = login("MaxRecvDataSegmentLength=8192")) {
      memory.breakFrom(100 * 512);
      List<RawPdu> pdus = initiator.answer(initiator.read10(1, 60, 80));
      RawPdu last = pdus.getLast();
      assertEquals(RawPdu.SCSI_RESPONSE, last.opcode());
      assertEquals(CHECK_CONDITION, last.byteAt(3));
      assertEquals(0x03, last.data()[4] & 0x0F);
      assertEquals(GOOD, initiator.answer(initiator.read10(1, 0, 8)).getLast().byteAt(3));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, disk", "2, fixed", "3, fixed"})
  void aFileThatShrinksEndsReadsWithAFailure(int lun, String name) throws IOException {
    try (RawInitiator initiator = login(LONG_SEGMENTS)) {
      try (FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE)) {
        file.truncate(100 * 512);
      }
      List<RawPdu> pdus = initiator.answer(initiator.read10(lun, 0, 512));
      assertEquals(CHECK_CONDITION, pdus.getLast().byteAt(3));
      if (lun != 0) { // what is missing in the announced data segment is sent as zeros
        assertArrayEquals(
            Arrays.copyOf(Arrays.copyOf(model, 100 * 512), 512 * 512),
            RawInitiator.data(pdus, 512 * 512));
      }
      assertEquals(GOOD, initiator.answer(initiator.read10(lun, 0, 8)).getLast().byteAt(3));
    }
  }

  /// Bytes of a file that never changes are sent without a copy, so their data segment may be
  /// longer than half of the output buffer.
  @ParameterizedTest
  @CsvSource({"0, 2", "1, 2", "2, 1", "3, 1"})
  void sendsAnUnchangingFileInLongSegments(int lun, int segments) throws IOException {
    try (RawInitiator initiator = login(LONG_SEGMENTS)) {
      List<RawPdu> pdus = initiator.answer(initiator.read10(lun, 8, 512));
      assertEquals(segments, pdus.stream().filter(p -> p.opcode() == RawPdu.DATA_IN).count());
      assertEquals(
          lun < 2 ? RawPdu.DATA_IN : RawPdu.SCSI_RESPONSE, pdus.getLast().opcode(), "status");
    }
  }

  /// The receive buffer of the initiator has only 4 KiB, so the send buffer of the target becomes
  /// full. Then the kernel takes only a part of the bytes that the target sends in one call.
  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void aSlowInitiatorReceivesTheWholeDisk(int lun) throws IOException {
    try (RawInitiator initiator = RawInitiator.connectWithBuffer(server.portal(), 4096)) {
      initiator.login(
          "iqn.2026-01.test:slow", FileServer.TARGET, LONG_SEGMENTS, "HeaderDigest=CRC32C");
      initiator.clearAttentions(lun);
      List<RawPdu> pdus = initiator.answer(initiator.read10(lun, 0, BLOCKS));
      assertArrayEquals(model, RawInitiator.data(pdus, DISK));
    }
  }

  /// The initiator receives the data after an ordered write has changed the same blocks.
  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  @Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aLaterWriteDoesNotChangeDataThatWasSent(int lun) throws IOException {
    int blocks = 128;
    byte[] old = Arrays.copyOf(model, blocks * 512);
    byte[] changed = new byte[blocks * 512];
    try (RawInitiator initiator = login(LONG_SEGMENTS);
        RawInitiator other = RawInitiator.connect(server.portal())) {
      other.login("iqn.2026-01.test:b", FileServer.TARGET);
      other.clearAttentions(lun);
      // After this write, the overlay of LUN 3 has all blocks that the test reads.
      assertEquals(GOOD, initiator.answer(initiator.write10(lun, 0, old)).getLast().byteAt(3));
      RawPdu read = initiator.read10(lun, 0, blocks);
      initiator.send(read);
      initiator.send(
          initiator
              .write10(lun, 0, changed)
              .withByte(1, RawPdu.FINAL | RawPdu.WRITE | RawPdu.ORDERED));
      byte[] seen = old;
      while (Arrays.equals(seen, old)) {
        seen = RawInitiator.data(other.answer(other.read10(lun, 0, blocks)), blocks * 512);
      }
      assertArrayEquals(old, RawInitiator.data(initiator.answer(read.tag()), blocks * 512));
    }
  }

  @Test
  void rejectsDataWithAWrongDigest() throws IOException {
    try (RawInitiator initiator =
        login("InitialR2T=Yes", "ImmediateData=No", "DataDigest=CRC32C", "HeaderDigest=CRC32C")) {
      RawPdu command = initiator.write10(1, 10, 1);
      initiator.send(command);
      RawPdu r2t = initiator.receive();
      byte[] wire =
          initiator.bytes(initiator.dataOut(command, r2t.intAt(20), 0, 0, new byte[512], true));
      wire[60] ^= 1;
      initiator.sendBytes(wire);
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(0x02, reject.byteAt(2));
      RawPdu response = initiator.receive();
      assertEquals(CHECK_CONDITION, response.byteAt(3));
      assertEquals(0x47, response.data()[14]);
      assertEquals(0x05, response.data()[15]);
      assertArrayEquals(model, memory.bytes());
    }
  }

  @Test
  void refusesBothDirectionsAtOnce() throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu command = initiator.read10(1, 0, 1);
      command.withByte(1, command.flags() | RawPdu.WRITE);
      RawPdu response = initiator.answer(command).getLast();
      assertEquals(CHECK_CONDITION, response.byteAt(3));
      assertEquals(0x24, response.data()[14]);
    }
  }
}
