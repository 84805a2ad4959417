package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.Umoci;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks layers that use uncommon features of the OCI image specification and of the tar formats.
/// GNU tar packs the layers. The disk contains the files that umoci unpacks.
@Tag("tools")
final class LayersMeaningTest {
  @TempDir private Path work = Path.of("");

  static List<LayerScript> images() {
    return List.of(
        LayerScript.of(
            "times to the nanosecond, before 1970 and after 2038",
            """
            touch -d '2026-03-04 05:06:07.123456789 UTC' now
            touch -d '1969-12-31 23:59:58.5 UTC' before
            touch -d '2106-02-07 06:28:16.25 UTC' after
            touch -d '2262-01-01 00:00:00.000000001 UTC' far
            mkdir d; touch d/inside; touch -d '2001-02-03 04:05:06.7 UTC' d
            ln -s x l; touch -h -d '2001-02-03 04:05:06.789 UTC' l
            tar --format=posix -cf "$1" *
            """),
        LayerScript.of(
            "the root's own mode, owner and attributes",
            """
            touch file; chmod 2711 .; chown 12:34 .; setfattr -n user.root -v yes .
            tar --format=posix --xattrs --xattrs-include='*' -cf "$1" .
            """,
            "touch other; tar -cf \"$1\" other"),
        LayerScript.of(
                "links across layers",
                "echo x >a; ln -s a s; mkdir d; tar -cf \"$1\" a s d",
                """
                echo x >a; ln a d1; mkdir -p missing/parent; ln a missing/parent/b; ln -s a s; ln s s2
                tar -cf "$1" a d1 missing/parent/b s s2; tar --delete -f "$1" a s
                """,
                "echo y >a; ln a c; tar -cf \"$1\" a c; tar --delete -f \"$1\" a")
            .implying("./missing", "./missing/parent"),
        LayerScript.of(
            "a link whose first name is deleted later",
            "echo x >a; ln a b; ln a c; tar -cf \"$1\" a b c",
            "touch .wh.a; tar -cf \"$1\" .wh.a",
            "echo new >a; tar -cf \"$1\" a"),
        LayerScript.of(
            "an opaque directory with siblings before and after its marker",
            "mkdir -p d/below; touch d/below/f d/old d/again; tar -cf \"$1\" d",
            """
            mkdir -p d/new; touch d/before d/.wh..wh..opq d/after d/new/f d/again
            tar --no-recursion -cf "$1" d d/before d/new d/new/f d/.wh..wh..opq d/after d/again
            """),
        LayerScript.of(
            "whiteouts of missing names, of directories, and beside new entries",
            "mkdir -p d/e/f g; touch d/e/f/x g/y z; tar -cf \"$1\" d g z",
            """
            mkdir -p d g; touch d/.wh.e .wh.nothing g/.wh.y g/new .wh.z
            tar --no-recursion -cf "$1" d d/.wh.e .wh.nothing g g/new g/.wh.y .wh.z
            """),
        LayerScript.of(
            "entries that replace entries of other types",
            """
            mkdir -p dir-file/x dir-link/x dir-fifo/x dir-dir/x; echo 1 >file-dir; echo 1 >file-link
            echo 1 >file-fifo; echo 1 >file-file; ln -s file-file link-file; ln -s dir-dir link-dir
            mkfifo fifo-file; mknod char-block c 1 3
            tar -cf "$1" *
            """,
            """
            echo 2 >dir-file; ln -s away dir-link; mkfifo dir-fifo; mkdir -m 700 dir-dir; mkdir file-dir
            touch file-dir/y; ln -s away file-link; mkfifo file-fifo; echo 2 >file-file; echo 2 >link-file
            mkdir link-dir; touch link-dir/y; echo 2 >fifo-file; mknod char-block b 259 1048575
            tar -cf "$1" *
            """),
        LayerScript.of(
            "a directory's entry again, with another mode, owner and time",
            """
            mkdir d; touch d/a; tar --no-recursion -cf "$1" d d/a
            chmod 1777 d; chown 5:6 d; touch -d '2001-01-01 UTC' d; tar --no-recursion -rf "$1" d
            """,
            "mkdir -m 750 d; touch -d '2002-02-02 UTC' d; tar -cf \"$1\" d"),
        LayerScript.of(
            "a file's entry again, longer and shorter",
            """
            head -c 9000 /dev/zero >f; tar -cf "$1" f; echo short >f; tar -rf "$1" f
            head -c 20000 /dev/zero | tr '\\0' x >f; tar -rf "$1" f
            """),
        LayerScript.of(
            "names of every length, in GNU's and POSIX' formats",
            """
            long=$(head -c 250 /dev/zero | tr '\\0' n)
            mkdir -p $long/$long/$long; touch $long/$long/$long/gnu; ln -s $long/$long/$long/x $long/gnu
            tar --format=gnu -cf "$1" $long; mv $long/gnu $long/posix; touch $long/$long/pax
            tar --format=posix -rf "$1" $long/posix $long/$long/pax
            """),
        LayerScript.of(
            "names of any bytes",
            """
            touch "$(printf 'latin1-\\344')" "$(printf 'tab\\there')" "$(printf 'line\\nend')" 'back\\slash' ' '
            touch 'Grüße' '日本' '*'; tar -cf "$1" --format=gnu *; touch ' p' 'Zürich'
            tar -rf "$1" --format=posix ' p' 'Zürich'
            """),
        LayerScript.of(
            "large numbers of owners and devices",
            """
            touch a b; chown 4294967294:4294967294 a; chown 70000:2097152 b; mknod c c 4095 1048575
            mknod d b 256 65536; tar --format=gnu -cf "$1" a b c; tar --format=posix -rf "$1" d
            """),
        LayerScript.of(
            "extended attributes, small, large, empty, and an ACL",
            """
            touch f g c; mkdir d; setfattr -n user.a -v 1 f; setfattr -n user.empty f
            setfattr -n user.large -v "$(head -c 3000 /dev/zero | tr '\\0' v)" f
            for i in $(seq 1 20); do setfattr -n user.attribute-number-$i -v $i g; done
            setfacl -m u:1234:rw,g:4294967294:r f; setfacl -m d:u:5:rwx d
            setfattr -n security.capability -v 0x0100000200040000000000000000000000000000 c
            setfattr -n trusted.overlay.origin -v 1 d
            tar --format=posix --xattrs --xattrs-include='*' -cf "$1" f g c d
            """,
            """
            touch f; setfattr -n user.b -v 2 f; mkdir d
            tar --format=posix --xattrs --xattrs-include='*' -cf "$1" f d
            """),
        LayerScript.of(
                "parent directories without an entry",
                "mkdir -p a/b/c; touch a/b/c/f; tar --no-recursion -cf \"$1\" a/b/c/f",
                "mkdir -p x/y; ln -s t x/y/l; tar --no-recursion -cf \"$1\" x/y/l")
            .implying("./a", "./a/b", "./a/b/c", "./x", "./x/y"),
        LayerScript.of(
            "sparse files",
            """
            truncate -s 3M s; echo middle | dd of=s bs=1 seek=1M conv=notrunc status=none
            tar --format=posix --sparse -cf "$1" s; cp s t
            tar --format=posix --sparse --sparse-version=0.0 -rf "$1" t
            perl -e 'for (0 .. 1500) { seek(STDOUT, $_ * 12288, 0); print $_ }' >u
            tar --format=posix --sparse --sparse-version=0.1 -rf "$1" u
            """),
        LayerScript.of(
                "names that lead out of the tree",
                "mkdir etc; echo x >etc/f; tar -P --transform 's,^,/../../,' -cf \"$1\" etc/f")
            .implying("./etc"),
        LayerScript.of(
            "entries below symlinks",
            "mkdir real; ln -s real way; ln -s /real absolute; tar -cf \"$1\" real way absolute",
            """
            mkdir way absolute; touch way/through absolute/through
            tar --no-recursion -cf "$1" way/through absolute/through
            """),
        LayerScript.of(
            "a large directory that loses entries and gets new ones",
            """
            mkdir d; cd d; seq -f 'a-name-that-takes-some-room-%g' 1 4000 | xargs touch; cd ..
            tar -cf "$1" d
            """,
            """
            mkdir d; cd d; seq -f '.wh.a-name-that-takes-some-room-%g' 1 3 4000 | xargs touch; cd ..
            tar --no-recursion -cf "$1" d; tar -rf "$1" d
            """,
            "mkdir d; cd d; seq -f 'b-%g' 1 1500 | xargs touch; cd ..; tar -cf \"$1\" d"));
  }

  static Stream<LayerScript> chosen() {
    return Rounds.oneOf(6, images());
  }

  @ParameterizedTest
  @MethodSource("chosen")
  void equalsTheResultOfUmoci(LayerScript image) throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    image.addTo(layout, ImageLayout.LATEST, work);
    TreeList expected =
        TreeList.of(Umoci.unpack(layout, ImageLayout.LATEST, work.resolve("bundle")));
    LayersVolume volume = LayersVolume.in(work, "volume");
    LayersJob.into(volume.path(), work)
        .from(layout.reference(ImageLayout.LATEST))
        .named("image")
        .unbootable()
        .set("SIZE", "256M")
        .set("COMMAND", "/nothing")
        .run()
        .ok();
    for (Path layer : volume.chain("image")) {
      LayersVolume.check(layer);
      try (DiskExport disk = DiskExport.of(layer, work)) {
        disk.assertClean();
      }
    }
    try (DiskExport disk = DiskExport.of(volume.disk("image"), work)) {
      disk.assertClean();
      expected.assertEquals(TreeList.ofDisk(disk.raw(), work), image.implied());
    }
  }
}
